"""One conversion a file, named `<kind>_<from>_<to>`, each ending with the constant CONVERSION."""
