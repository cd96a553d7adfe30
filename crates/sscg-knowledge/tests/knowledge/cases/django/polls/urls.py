from django.urls import include, path, re_path

from . import views

archive = [path("<int:year>/", views.archive)]
archive += [path("all/", views.archive)]
drafts = [path("drafts/", views.archive)]

urlpatterns = [
    path("archive/", include((archive, "archive"))),
    path("", views.index, name="index"),
    path("<int:question_id>/vote/", views.Vote.as_view()),
    re_path(r"^year/(?P<year>[0-9]{4})/$", views.year),
]
