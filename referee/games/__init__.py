"""Game plug-ins: each folder is an island, and nothing here loads one."""
