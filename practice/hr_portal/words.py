"""Source texts of the portal. All people and places of work are invented."""

from __future__ import annotations

OFFICES = {
    "Germany": ("Berlin", "Hamburg", "Munich"),
    "Ireland": ("Cork", "Dublin"),
    "Japan": ("Osaka", "Tokyo"),
    "Kenya": ("Mombasa", "Nairobi"),
    "Portugal": ("Lisbon", "Porto"),
    "United States": ("Austin", "Boston", "Dublin (Ohio)"),
}
"""Offices by country. Two of them have nearly the same name."""

DEPARTMENTS = (
    *("Customer Support", "Engineering", "Finance", "Internal Audit", "Legal", "Logistics"),
    *("Marketing", "People Operations", "Procurement", "Sales"),
)
REQUEST_TYPES = ("Annual leave", "Parental leave", "Sick leave", "Unpaid leave")
FORMATS = {"pdf": "PDF", "csv": "CSV", "xlsx": "Excel"}

FIRST_NAMES = (
    *("Aoife", "Bashir", "Chiara", "Dmitri", "Esther", "Fumiko", "Gonçalo", "Helga", "Imani", "Joost", "Kamal"),
    *("Lourdes", "Mwangi", "Nils", "Orla", "Paulo", "Rahel", "Stefan", "Tomoko", "Wambui"),
)
LAST_NAMES = (
    *("Achieng", "Bauer", "Carvalho", "Doyle", "Endo", "Fitzgerald", "Gomes", "Hoffmann", "Ito", "Jensen"),
    *("Kariuki", "Lopes", "Murphy", "Neumann", "Otieno", "Pereira", "Richter", "Sato", "Walsh", "Zimmermann"),
)
NAMESAKES = ("Anna Berg", "Peter Novak", "Grace Kimani")
"""Each is the name of two employees."""
TITLES = (
    *("Account Manager", "Analyst", "Assistant", "Auditor", "Buyer", "Coordinator", "Counsel", "Engineer"),
    *("Manager", "Partner", "Specialist", "Team Lead"),
)
ATTACHMENTS = (
    *("Employment contract", "Work permit", "Tax form", "Diploma", "Confidentiality agreement", "Medical note"),
    *("Equipment receipt", "Reference letter"),
)
COMPANY_DOCUMENTS = ("Employee handbook 2026", "Travel policy", "Code of conduct")
REASONS = (
    "Family visit that was planned since the summer.",
    "Moving to a new flat, with the handover of the old one.",
    "A long hike in the mountains; I will be hard to reach.",
    "Rest after the quarter's closing, agreed with my team.",
    "Looking after my parents for a while, please keep it private.",
    'A course in restoring furniture ("evening class", 12 lessons).',
)
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
