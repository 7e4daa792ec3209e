"""Named bytes that workflows leave behind: in a folder, or with evidence."""
