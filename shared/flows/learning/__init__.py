"""A flow learned from rows whose right values a person has written down, without any model. Pure."""
