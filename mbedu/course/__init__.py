"""The class around the lessons: the offline site, and assignments that grade themselves."""
