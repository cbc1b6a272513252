"""The addresses of `games` under /api/v1/. No trailing slashes."""

from __future__ import annotations

from django.urls import path

from . import accounts, analysis, attempts, docs, tokens

urlpatterns = [
    path("guests", accounts.Guests.as_view()),
    path("login", accounts.Login.as_view()),
    path("logout", accounts.Logout.as_view()),
    path("account", accounts.Account.as_view()),
    path("account/logout-others", accounts.LogoutOthers.as_view()),
    path("account/claim", accounts.Claim.as_view()),
    path("account/password", accounts.Password.as_view()),
    path("account/recover", accounts.Recover.as_view()),
    path("account/recovery-codes", accounts.RecoveryCodes.as_view()),
    path("account/tokens", tokens.Tokens.as_view()),
    path("account/tokens/<str:public_id>", tokens.TokenDetail.as_view()),
    path("account/bots", tokens.Bots.as_view()),
    path("account/bots/<str:public_id>/tokens", tokens.BotTokens.as_view()),
    path("names", accounts.Names.as_view()),
    path("attempts", attempts.AttemptList.as_view()),
    path("attempts/<str:public_id>", attempts.AttemptDetail.as_view()),
    path("attempts/<str:public_id>/moves", attempts.AttemptMoves.as_view()),
    path("attempts/<str:public_id>/resign", attempts.AttemptResign.as_view()),
    path("attempts/<str:public_id>/replay", attempts.AttemptReplay.as_view()),
    path("attempts/<str:public_id>/analysis", analysis.AttemptAnalysis.as_view()),
    path("attempts/<str:public_id>/hint", analysis.AttemptHint.as_view()),
    path("attempts/<str:public_id>/winnable", analysis.AttemptWinnable.as_view()),
    path("openapi.json", docs.OpenApi.as_view()),
]
