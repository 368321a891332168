"""Addresses of the console."""

from __future__ import annotations

from django.urls import path
from django.views.generic import RedirectView
from django.views.i18n import set_language

from ronda.accounts.pages import account, entrance, people, tokens
from ronda.analysis.pages import asking
from ronda.analysis.pages import sessions as analysis_sessions
from ronda.console import machines
from ronda.console.pages import bot, overview
from ronda.credits import pages as credits
from ronda.grid import fetches_pages as fetches
from ronda.grid import hosts_pages as hosts
from ronda.grid import overview_pages as grid_overview
from ronda.jobs import pages as jobs
from ronda.policies import pages as policies
from ronda.rounds import diff_pages as diffs
from ronda.rounds import feeds
from ronda.rounds import finding_pages as finding
from ronda.rounds import notification_pages as notifications
from ronda.rounds import replay_pages as replaying
from ronda.rounds.pages import collections, noise, predictions, simulations, source, sources, versions
from ronda.supervision import pages as supervision
from ronda.trust import pages as trust
from ronda.wiki import pages as wiki
from ronda.wiki import query_pages as histories

urlpatterns = [
    path("", overview, name="overview"),
    # Asked for by pages that name no icon, such as the admin's.
    path("favicon.ico", RedirectView.as_view(url="/static/console/icon.svg")),
    path("bot", bot, name="bot"),
    path("language", set_language, name="language"),
    path("login", entrance.login, name="login"),
    path("login/once/<str:secret>", entrance.login_once, name="login-once"),
    path("logout", entrance.logout, name="logout"),
    path("register", entrance.register, name="register"),
    path("register/sent", entrance.register_sent, name="register-sent"),
    path("register/<str:secret>", entrance.register_confirm, name="register-confirm"),
    path("recover", entrance.recover, name="recover"),
    path("recover/sent", entrance.recover_sent, name="recover-sent"),
    path("recover/done", entrance.recover_done, name="recover-done"),
    path("recover/<str:uidb64>/<str:token>", entrance.recover_confirm, name="recover-confirm"),
    path("account", account.account, name="account"),
    path("account/password", account.password, name="password"),
    path("account/delete", account.delete, name="account-delete"),
    path("tokens", tokens.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke", tokens.revoke, name="token-revoke"),
    path("people", people.people, name="people"),
    path("people/add", people.add, name="person-add"),
    path("people/<int:person_id>", people.person, name="person"),
    path("people/<int:person_id>/invite", people.invite, name="person-invite"),
    path("people/<int:person_id>/close", people.set_active, {"is_active": False}, name="person-close"),
    path("people/<int:person_id>/reopen", people.set_active, {"is_active": True}, name="person-reopen"),
    path(
        "people/<int:person_id>/tokens/<int:token_id>/revoke",
        people.revoke_token,
        name="person-token-revoke",
    ),
    path("articles", wiki.articles, name="articles"),
    path("articles/add", wiki.add, name="article-add"),
    path("articles/add-many", wiki.add_many, name="articles-add"),
    path("articles/<int:article_id>", wiki.article, name="article"),
    path("articles/<int:article_id>/check", wiki.check, name="article-check"),
    path("articles/<int:article_id>/refresh", wiki.refresh, name="article-refresh"),
    path("jobs", jobs.jobs, name="jobs"),
    path("jobs/start", jobs.start, name="job-start"),
    path("jobs/start/<str:kind>", jobs.start_kind, name="job-start-kind"),
    path("jobs/<uuid:job_id>", jobs.job, name="job"),
    path("jobs/<uuid:job_id>/cancel", jobs.cancel, name="job-cancel"),
    path("search", finding.search, name="search"),
    path("search/past", finding.past, name="searches"),
    path("favourites", finding.favourites, name="favourites"),
    path("favourites/<str:kind>/<str:key>/star", finding.set_star, {"is_starred": True}, name="star"),
    path("favourites/<str:kind>/<str:key>/unstar", finding.set_star, {"is_starred": False}, name="unstar"),
    path("wiki/query", histories.query, name="wiki-query"),
    path("wiki/revisions", histories.revisions, name="wiki-revisions"),
    path("wiki/diff", histories.revision_diff, name="revision-diff"),
    path("wiki/compare", histories.comparison, name="articles-together"),
    path("articles/<int:article_id>/statistics", histories.article_statistics, name="article-statistics"),
    path("articles/<int:article_id>/revisions", histories.article_revisions, name="article-revisions"),
    path("replay/open", replaying.open_replay, name="replay-open"),
    path("replay/<int:capture_id>", replaying.replay, name="replay"),
    path("replay/<int:capture_id>/forget", replaying.forget_import, name="capture-forget"),
    path("replay/<int:capture_id>/alone", replaying.replay_alone, name="replay-alone"),
    path("grid", grid_overview.grid, name="grid"),
    path("fetches", fetches.all_fetches, name="fetches"),
    path("fetches/new", fetches.new, name="fetch-new"),
    path("fetches/<uuid:fetch_id>", fetches.fetch, name="fetch"),
    path("fetches/<uuid:fetch_id>/cancel", fetches.cancel, name="fetch-cancel"),
    path("fetches/<uuid:fetch_id>/answers/<int:answer_id>/report", trust.report, name="answer-report"),
    path("hosts", hosts.all_hosts, name="hosts"),
    path("hosts/<str:name>", hosts.host, name="host"),
    path("hosts/<str:name>/change", hosts.change, name="host-change"),
    path("hosts/<str:name>/backoff", hosts.end_backoff, name="host-end-backoff"),
    path("hosts/<str:name>/robots", hosts.ask_robots, name="host-ask-robots"),
    path("opt-outs", hosts.all_opt_outs, name="opt-outs"),
    path("opt-outs/<int:opt_out_id>/remove", hosts.remove_opt_out, name="opt-out-remove"),
    path("nodes", machines.machines, name="nodes"),
    path("nodes/join", machines.join, name="node-join"),
    path("nodes/<uuid:node_id>", machines.machine, name="node"),
    path("nodes/<uuid:node_id>/pause", machines.pause, name="node-pause"),
    path("nodes/<uuid:node_id>/resume", machines.resume, name="node-resume"),
    path("nodes/<uuid:node_id>/remove", machines.remove, name="node-remove"),
    path("nodes/<uuid:node_id>/lift-quarantine", trust.lift_quarantine, name="node-lift"),
    path("sources", sources.sources, name="sources"),
    path("sources/new", sources.new, name="source-new"),
    path("sources/act", sources.act, name="sources-act"),
    path("sources/delete", sources.delete, name="sources-delete"),
    path("sources/import", sources.import_list, name="sources-import"),
    path("sources/<uuid:source_id>", source.source, name="source"),
    path("sources/<uuid:source_id>/versions", source.versions, name="source-versions"),
    path("sources/<uuid:source_id>/prediction", predictions.source, name="source-prediction"),
    path("sources/<uuid:source_id>/edit", source.edit, name="source-edit"),
    path("sources/<uuid:source_id>/pause", source.pause, name="source-pause"),
    path("sources/<uuid:source_id>/resume", source.resume, name="source-resume"),
    path("sources/<uuid:source_id>/visit", source.visit_now, name="source-visit"),
    path("sources/<uuid:source_id>/cancel", source.cancel, name="visit-cancel"),
    path("sources/<uuid:source_id>/noise", noise.source_noise, name="source-noise"),
    path("sources/<uuid:source_id>/noise/<int:rule_id>/undo", noise.undo, name="noise-undo"),
    path("sources/<uuid:source_id>/noise/<int:rule_id>/redo", noise.redo, name="noise-redo"),
    path("visits/<int:visit_id>", source.visit, name="visit"),
    path("versions/<uuid:version_id>", versions.version, name="version"),
    path("versions/<uuid:version_id>/pin", versions.pin, {"is_pinned": True}, name="version-pin"),
    path("versions/<uuid:version_id>/unpin", versions.pin, {"is_pinned": False}, name="version-unpin"),
    path("versions/<uuid:version_id>/forget", versions.forget, name="version-forget"),
    path("collections", collections.collections, name="collections"),
    path("collections/new", collections.new, name="collection-new"),
    path("collections/<slug:slug>", collections.collection, name="collection"),
    path("collections/<slug:slug>/edit", collections.edit, name="collection-edit"),
    path("collections/<slug:slug>/people", collections.add_person, name="collection-add-person"),
    path(
        "collections/<slug:slug>/people/<int:person_id>/remove",
        collections.remove_person,
        name="collection-remove-person",
    ),
    path("collections/<slug:slug>/predictor", predictions.choose_for_collection, name="collection-predictor"),
    path("topics", collections.topics, name="topics"),
    path("topics/<int:code>/predictor", predictions.choose_for_topic, name="topic-predictor"),
    path("groups", predictions.groups, name="groups"),
    path("simulations", simulations.simulations, name="simulations"),
    path("simulations/new", simulations.new, name="simulation-new"),
    path("simulations/<uuid:simulation_id>", simulations.simulation, name="simulation"),
    path("ask", asking.ask, name="ask"),
    path("ask/sets/<str:name>", asking.ask_set, name="ask-set"),
    path("ask/questions", asking.questions, name="questions"),
    path("ask/questions/<str:name>", asking.question_set, name="question-set"),
    path("ask/answers", asking.history, name="answers"),
    path("ask/sessions", analysis_sessions.sessions, name="sessions"),
    path("ask/sessions/again", analysis_sessions.again, name="session-chosen-again"),
    path("ask/sessions/<uuid:session_id>", analysis_sessions.session, name="session"),
    path("ask/sessions/<uuid:session_id>/again", analysis_sessions.again, name="session-again"),
    path("ask/sessions/<uuid:session_id>/delete", analysis_sessions.delete, name="session-delete"),
    path("credits", credits.credits, name="credits"),
    path("credits/statement.csv", credits.statement, name="credits-statement"),
    path("diff", diffs.page_diff, name="page-diff"),
    path("sources/<uuid:source_id>/diff", diffs.source_diff, name="source-diff"),
    path("sources/<uuid:source_id>/news", diffs.source_news, name="source-news"),
    path("notifications", notifications.overview, name="notifications"),
    path("notifications/subscribe", notifications.subscribe, name="notifications-subscribe"),
    path("notifications/feeds", notifications.renew_feeds, name="feeds-renew"),
    path("notifications/<int:target_id>/test", notifications.send_test, name="notifications-test"),
    path("notifications/<int:target_id>/remove", notifications.remove_target, name="notifications-remove"),
    path(
        "notifications/subscriptions/<int:subscription_id>/remove",
        notifications.unsubscribe,
        name="notifications-unsubscribe",
    ),
    path("feeds/sources/<uuid:source_id>.atom", feeds.source_feed, name="feed-source"),
    path("feeds/collections/<slug:slug>.atom", feeds.collection_feed, name="feed-collection"),
    path("settings", policies.settings, name="settings"),
    path("settings/<str:name>", policies.setting, name="setting"),
    path("system", supervision.system, name="system"),
    path("system/processes/<uuid:process_id>/restart", supervision.restart, name="process-restart"),
]
