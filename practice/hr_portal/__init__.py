"""A portal with forms that are filled, confirmed and sent once, with tabs, reports and files; see README.md."""
