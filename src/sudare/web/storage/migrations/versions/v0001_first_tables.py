"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


# The audit log only grows; so does the list of what was handed in, of which only what was found may be filled in.
SQLITE_TRIGGERS = (
    """CREATE TRIGGER audit_log_keep BEFORE UPDATE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
    """CREATE TRIGGER audit_log_stay BEFORE DELETE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
    """CREATE TRIGGER submissions_keep
    BEFORE UPDATE OF file_hash, size, team_id, round_id, number, created_at ON submissions
    BEGIN SELECT RAISE(ABORT, 'submissions are not changed'); END""",
    """CREATE TRIGGER submissions_stay BEFORE DELETE ON submissions
    BEGIN SELECT RAISE(ABORT, 'submissions are not changed'); END""",
)
POSTGRESQL_TRIGGERS = (
    """CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$""",
    """CREATE TRIGGER audit_log_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()""",
    """CREATE TRIGGER submissions_keep BEFORE UPDATE OF file_hash, size, team_id, round_id, number, created_at
    ON submissions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()""",
    """CREATE TRIGGER submissions_stay BEFORE DELETE OR TRUNCATE ON submissions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()""",
)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_id", sa.String(length=16), nullable=True),
        sa.Column("actor", sa.String(length=80), nullable=False),
        sa.Column("contest_id", sa.String(length=16), nullable=True),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=80), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("previous_hash", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
        sa.UniqueConstraint("hash", name=op.f("uq_audit_log_hash")),
    )
    op.create_index(op.f("ix_audit_log_contest_id"), "audit_log", ["contest_id"], unique=False)
    op.create_table(
        "contests",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("time_zone", sa.String(length=80), nullable=False),
        sa.Column("rules", sa.String(length=80), nullable=False),
        sa.Column("submissions_per_day", sa.Integer(), nullable=False),
        sa.Column("teams_may_download", sa.Boolean(), nullable=False),
        sa.Column("hide_names", sa.Boolean(), nullable=False),
        sa.Column("guesses_replaceable", sa.Boolean(), nullable=False),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contests")),
    )
    op.create_table(
        "login_attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account", sa.String(length=64), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_attempts")),
    )
    op.create_index("ix_login_attempts_account_at", "login_attempts", ["account", "at"], unique=False)
    op.create_index("ix_login_attempts_address_at", "login_attempts", ["address", "at"], unique=False)
    op.create_table(
        "users",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("login", sa.String(length=80), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("admin", sa.Boolean(), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("login", name=op.f("uq_users_login")),
    )
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=16), nullable=False),
        sa.Column("contest_id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("scopes", sa.String(length=80), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["contest_id"], ["contests.id"], name=op.f("fk_api_tokens_contest_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_api_tokens_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_tokens_token_hash")),
    )
    op.create_index(op.f("ix_api_tokens_contest_id"), "api_tokens", ["contest_id"], unique=False)
    op.create_index(op.f("ix_api_tokens_user_id"), "api_tokens", ["user_id"], unique=False)
    op.create_table(
        "datasets",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("contest_id", sa.String(length=16), nullable=False),
        sa.Column("file_hash", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("created_by", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("status IN ('queued', 'valid', 'invalid', 'failed')", name=op.f("ck_datasets_status")),
        sa.ForeignKeyConstraint(["contest_id"], ["contests.id"], name=op.f("fk_datasets_contest_id")),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_datasets_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_datasets")),
    )
    op.create_index(op.f("ix_datasets_contest_id"), "datasets", ["contest_id"], unique=False)
    op.create_index(op.f("ix_datasets_created_by"), "datasets", ["created_by"], unique=False)
    op.create_table(
        "password_resets",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=16), nullable=False),
        sa.Column("created_by", sa.String(length=16), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_password_resets_created_by")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_password_resets_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_password_resets")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_password_resets_token_hash")),
    )
    op.create_index(op.f("ix_password_resets_created_by"), "password_resets", ["created_by"], unique=False)
    op.create_index(op.f("ix_password_resets_user_id"), "password_resets", ["user_id"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("csrf", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sessions_token_hash")),
    )
    op.create_index(op.f("ix_sessions_user_id"), "sessions", ["user_id"], unique=False)
    op.create_table(
        "teams",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("contest_id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["contest_id"], ["contests.id"], name=op.f("fk_teams_contest_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_teams")),
        sa.UniqueConstraint("contest_id", "name", name=op.f("uq_teams_contest_id_name")),
    )
    op.create_index(op.f("ix_teams_contest_id"), "teams", ["contest_id"], unique=False)
    op.create_table(
        "invitations",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("contest_id", sa.String(length=16), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("team_id", sa.String(length=16), nullable=True),
        sa.Column("created_by", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_by", sa.String(length=16), nullable=True),
        sa.CheckConstraint("role IN ('organizer', 'team', 'observer')", name=op.f("ck_invitations_role")),
        sa.ForeignKeyConstraint(["contest_id"], ["contests.id"], name=op.f("fk_invitations_contest_id")),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_invitations_created_by")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_invitations_team_id")),
        sa.ForeignKeyConstraint(["used_by"], ["users.id"], name=op.f("fk_invitations_used_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitations_token_hash")),
    )
    op.create_index(op.f("ix_invitations_contest_id"), "invitations", ["contest_id"], unique=False)
    op.create_index(op.f("ix_invitations_created_by"), "invitations", ["created_by"], unique=False)
    op.create_index(op.f("ix_invitations_team_id"), "invitations", ["team_id"], unique=False)
    op.create_index(op.f("ix_invitations_used_by"), "invitations", ["used_by"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("subject_id", sa.String(length=16), nullable=False),
        sa.Column("contest_id", sa.String(length=16), nullable=False),
        sa.Column("team_id", sa.String(length=16), nullable=True),
        sa.Column("key", sa.String(length=80), nullable=True),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(length=80), nullable=True),
        sa.Column("failure", sa.String(length=20), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("leased_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("status IN ('queued', 'running', 'done', 'failed')", name=op.f("ck_jobs_status")),
        sa.ForeignKeyConstraint(["contest_id"], ["contests.id"], name=op.f("fk_jobs_contest_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_jobs_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("key", name=op.f("uq_jobs_key")),
    )
    op.create_index(op.f("ix_jobs_contest_id"), "jobs", ["contest_id"], unique=False)
    op.create_index("ix_jobs_status_team_id", "jobs", ["status", "team_id"], unique=False)
    op.create_index(op.f("ix_jobs_subject_id"), "jobs", ["subject_id"], unique=False)
    op.create_index(op.f("ix_jobs_team_id"), "jobs", ["team_id"], unique=False)
    op.create_table(
        "memberships",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("user_id", sa.String(length=16), nullable=False),
        sa.Column("contest_id", sa.String(length=16), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("team_id", sa.String(length=16), nullable=True),
        sa.CheckConstraint("(role = 'team') = (team_id IS NOT NULL)", name=op.f("ck_memberships_team")),
        sa.CheckConstraint("role IN ('organizer', 'team', 'observer')", name=op.f("ck_memberships_role")),
        sa.ForeignKeyConstraint(["contest_id"], ["contests.id"], name=op.f("fk_memberships_contest_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_memberships_team_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_memberships_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memberships")),
        sa.UniqueConstraint("user_id", "contest_id", name=op.f("uq_memberships_user_id_contest_id")),
    )
    op.create_index(op.f("ix_memberships_contest_id"), "memberships", ["contest_id"], unique=False)
    op.create_index(op.f("ix_memberships_team_id"), "memberships", ["team_id"], unique=False)
    op.create_index(op.f("ix_memberships_user_id"), "memberships", ["user_id"], unique=False)
    op.create_table(
        "rounds",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("contest_id", sa.String(length=16), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("dataset_id", sa.String(length=16), nullable=True),
        sa.Column("anonymization_opens", sa.DateTime(timezone=True), nullable=False),
        sa.Column("anonymization_closes", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reidentification_opens", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reidentification_closes", sa.DateTime(timezone=True), nullable=False),
        sa.Column("frozen", sa.Boolean(), nullable=False),
        sa.Column("targets_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "anonymization_opens < anonymization_closes AND anonymization_closes <= reidentification_opens"
            " AND reidentification_opens < reidentification_closes",
            name=op.f("ck_rounds_order"),
        ),
        sa.ForeignKeyConstraint(["contest_id"], ["contests.id"], name=op.f("fk_rounds_contest_id")),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name=op.f("fk_rounds_dataset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rounds")),
        sa.UniqueConstraint("contest_id", "position", name=op.f("uq_rounds_contest_id_position")),
    )
    op.create_index(op.f("ix_rounds_contest_id"), "rounds", ["contest_id"], unique=False)
    op.create_index(op.f("ix_rounds_dataset_id"), "rounds", ["dataset_id"], unique=False)
    op.create_table(
        "evaluations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name=op.f("fk_evaluations_round_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluations")),
    )
    op.create_index(op.f("ix_evaluations_round_id"), "evaluations", ["round_id"], unique=False)
    op.create_table(
        "submissions",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("round_id", sa.String(length=16), nullable=False),
        sa.Column("team_id", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("file_hash", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.String(length=200), nullable=False),
        sa.Column("created_by", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("utility", sa.Float(), nullable=True),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.CheckConstraint("status IN ('queued', 'valid', 'invalid', 'failed')", name=op.f("ck_submissions_status")),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_submissions_created_by")),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name=op.f("fk_submissions_round_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_submissions_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("round_id", "team_id", "number", name=op.f("uq_submissions_round_id_team_id_number")),
    )
    op.create_index(op.f("ix_submissions_created_by"), "submissions", ["created_by"], unique=False)
    op.create_index(op.f("ix_submissions_round_id"), "submissions", ["round_id"], unique=False)
    op.create_index(op.f("ix_submissions_team_id"), "submissions", ["team_id"], unique=False)
    op.create_table(
        "finals",
        sa.Column("round_id", sa.String(length=16), nullable=False),
        sa.Column("team_id", sa.String(length=16), nullable=False),
        sa.Column("submission_id", sa.String(length=16), nullable=False),
        sa.Column("chosen_by", sa.String(length=16), nullable=False),
        sa.Column("chosen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["chosen_by"], ["users.id"], name=op.f("fk_finals_chosen_by")),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name=op.f("fk_finals_round_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_finals_submission_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_finals_team_id")),
        sa.PrimaryKeyConstraint("round_id", "team_id", name=op.f("pk_finals")),
    )
    op.create_index(op.f("ix_finals_chosen_by"), "finals", ["chosen_by"], unique=False)
    op.create_index(op.f("ix_finals_submission_id"), "finals", ["submission_id"], unique=False)
    op.create_table(
        "targets",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("round_id", sa.String(length=16), nullable=False),
        sa.Column("team_id", sa.String(length=16), nullable=False),
        sa.Column("submission_id", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("file_hash", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name=op.f("fk_targets_round_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_targets_submission_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_targets_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_targets")),
        sa.UniqueConstraint("round_id", "number", name=op.f("uq_targets_round_id_number")),
        sa.UniqueConstraint("round_id", "team_id", name=op.f("uq_targets_round_id_team_id")),
    )
    op.create_index(op.f("ix_targets_round_id"), "targets", ["round_id"], unique=False)
    op.create_index(op.f("ix_targets_submission_id"), "targets", ["submission_id"], unique=False)
    op.create_index(op.f("ix_targets_team_id"), "targets", ["team_id"], unique=False)
    op.create_table(
        "guess_files",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("round_id", sa.String(length=16), nullable=False),
        sa.Column("target_id", sa.String(length=16), nullable=False),
        sa.Column("team_id", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("file_hash", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.CheckConstraint("status IN ('queued', 'valid', 'invalid', 'failed')", name=op.f("ck_guess_files_status")),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_guess_files_created_by")),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name=op.f("fk_guess_files_round_id")),
        sa.ForeignKeyConstraint(["target_id"], ["targets.id"], name=op.f("fk_guess_files_target_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_guess_files_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guess_files")),
        sa.UniqueConstraint("target_id", "team_id", "number", name=op.f("uq_guess_files_target_id_team_id_number")),
    )
    op.create_index(op.f("ix_guess_files_created_by"), "guess_files", ["created_by"], unique=False)
    op.create_index(op.f("ix_guess_files_round_id"), "guess_files", ["round_id"], unique=False)
    op.create_index(op.f("ix_guess_files_target_id"), "guess_files", ["target_id"], unique=False)
    op.create_index(op.f("ix_guess_files_team_id"), "guess_files", ["team_id"], unique=False)
    triggers = SQLITE_TRIGGERS if op.get_bind().dialect.name == "sqlite" else POSTGRESQL_TRIGGERS
    for trigger in triggers:
        op.execute(trigger)
