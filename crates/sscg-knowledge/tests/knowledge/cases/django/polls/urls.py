from django.urls import path, re_path

from . import views

urlpatterns = [
    path("", views.index, name="index"),
    path("<int:question_id>/vote/", views.Vote.as_view()),
    re_path(r"^year/(?P<year>[0-9]{4})/$", views.year),
]
