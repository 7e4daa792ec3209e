"""Source texts of the directory. All people, companies and schools are invented."""

from __future__ import annotations

COMPANIES = (
    ("Northwind Analytics", "Data and research", 20),
    ("Halden & Pryce", "Accounting", 7),
    ("Brightwater Energy", "Utilities", 5),
    ("Cobalt Freight", "Logistics", 5),
    ("Larkspur Health", "Hospitals and care", 4),
    ("Tessellate Software", "Software", 4),
    ("Orchard Street Bank", "Banking", 4),
    ("Summit Ridge Insurance", "Insurance", 3),
    ("Fjord Marine", "Shipping", 3),
    ("Kestrel Aerospace", "Aerospace", 3),
    ("Palisade Security", "Security", 3),
    ("Quillfeather Press", "Publishing", 2),
    ("Redwood & Vale", "Law", 2),
    ("Saffron Foods", "Food and drink", 2),
    ("Terrace Hotels", "Hospitality", 2),
    ("Umbra Optics", "Instruments", 2),
    ("Verdant Farms", "Agriculture", 2),
    ("Willow Creek Schools", "Education", 2),
    ("Zephyr Telecom", "Telecommunications", 2),
    ("Ironbridge Capital", "Investment", 2),
)
"""Name, industry, and the relative number of people who work there."""

FIRST_NAMES = (
    *("Amara", "Beatriz", "Callum", "Daria", "Elif", "Farid", "Greta", "Hana", "Ingrid", "Jamal", "Kaito", "Leila"),
    *("Mateus", "Nadia", "Oluwaseun", "Priya", "Quentin", "Rosa", "Siobhán", "Tomasz", "Ulrike", "Vikram", "Wanjiru"),
    *("Xin", "Yusuf", "Zoë", "Andrés", "Birgitta", "Chidi", "Delphine", "Emeka", "Françoise", "Gianluca", "Hyejin"),
    *("Ibrahim", "Jolanta", "Kwame", "Lucía", "Magnus", "Noor"),
)
LAST_NAMES = (
    *("Adeyemi", "Bergström", "Castellanos", "Dufour", "Eriksen", "Fontaine", "Grünwald", "Hargreaves", "Ibáñez"),
    *("Jovanović", "Kaminski", "Lindqvist", "Moreau", "Nakagawa", "Okafor", "Petrov", "Quintero", "Raman", "Sørensen"),
    *("Thackeray", "Underwood", "Valdés", "Whitfield", "Xu", "Yamamoto", "Zieliński", "Al-Zahrani", "Brennan"),
    *("Chaudhry", "O'Neill"),
)
HOMONYM_NAMES = (
    *("Maria Garcia", "David Miller", "Wei Chen", "Anna Kowalska", "Mohammed Ali", "James Wilson", "Emma Johansson"),
    *("Daniel Kim", "Olivia Brown", "Carlos Silva"),
)
TWIN_NAMES = ("Michael Johnson", "Laura Schmidt", "Ravi Patel", "Sofia Rossi", "Thomas Martin", "Julia Novak")
SPELLINGS = (
    ("Smith", "Jon", "John", "A."),
    ("Fraser", "Ann", "Anne", "M."),
    ("Hughes", "Sara", "Sarah", "J."),
    ("Becker", "Katherine", "Catherine", "L."),
    ("Stewart", "Steven", "Stephen", "R."),
    ("Larsen", "Erik", "Eric", "T."),
    ("Dupont", "Marc", "Mark", "P."),
    ("Ellis", "Jeffrey", "Geoffrey", "W."),
)
"""A family name, two spellings of one first name, and a middle initial."""
ABSENT_NAMES = ("Perpetua Vanterpool", "Ignatius Oyelowo-Strand", "Clementine Rasmussen-Ito", "Bartholomew Quigg")
"""Names that are in the directory under no seed."""

SCHOOLS = (
    *("University of Eastmoor", "Carrow Institute of Technology", "Universidad de la Ribera", "St Aldate's College"),
    *(
        "Nordhavn Business School",
        "Université de Montclair",
        "Lakeshore State University",
        "Technische Hochschule Weiden",
    ),
    *(
        "Kingsferry Polytechnic",
        "Universidade do Cabo Verde Sul",
        "Haneda Women's University",
        "University of Port Ellis",
    ),
    *("Ashgrove College", "Institute of Management, Pune West"),
)
DEGREES = (
    *("BA, Economics", "BSc, Computer Science", "BEng, Mechanical Engineering", "LLB, Law", "MSc, Statistics"),
    *("MBA", "BA, Modern Languages", "BSc, Biology", "MA, Communication", "BCom, Accounting"),
)
TITLES = (
    *("Account Executive", "Audit Manager", "Data Analyst", "Product Designer", "Finance Lead", "Operations Manager"),
    *("Software Engineer", "Compliance Officer", "Project Coordinator", "Research Scientist", "Sales Director"),
    *("People Partner", "Procurement Specialist", "Risk Analyst", "Marketing Manager", "Customer Success Manager"),
)
PLACES = ("Berlin", "Chicago", "Dublin", "Lagos", "Lisbon", "London", "Oslo", "São Paulo", "Singapore", "Toronto")
INTERESTS = (
    "I like plain language, short meetings and numbers that add up.",
    "Most of my work is turning a pile of exceptions into a process that people keep.",
    "Before this I spent some years on the other side of the table, which still helps every day.",
    "Happy to talk about mentoring, hiring and what makes a handover go well.",
    "Outside of work I restore old radios and coach a junior rowing crew.",
    "Always looking for people who ask the second question.",
)
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
