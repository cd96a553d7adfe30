ROOT_URLCONF = "site.urls"
