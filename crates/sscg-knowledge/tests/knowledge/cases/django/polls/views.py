from django.views import View


def index(request):
    return None


def year(request, year):
    return None


def archive(request, year=None):
    return None


class Vote(View):
    def get(self, request, question_id):
        return None

    def post(self, request, question_id):
        return None
