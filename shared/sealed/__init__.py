"""The format of evidence as it is handed over, and how to check it: needs no bus and no service. See docs/adr/0010."""
