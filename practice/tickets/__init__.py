"""A small ticket site, rendered in the browser as many real ones are; see README.md."""
