"""`exhibit learn`: a flow from a few rows whose right values a person has written down, without a model."""
