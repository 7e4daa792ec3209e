"""Facts about the elements of an observed page that every reader of pages shares. Pure."""
