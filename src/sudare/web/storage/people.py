"""The tables of users and their log-ins."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from sudare.web.storage.base import Base, identity, link, maybe_link


class User(Base):
    """A person with a log-in; an `admin` may make contests."""

    __tablename__ = "users"

    id: Mapped[str] = identity()
    login: Mapped[str] = mapped_column(String(80), unique=True)
    password_hash: Mapped[str]
    admin: Mapped[bool] = mapped_column(default=False)
    disabled: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[dt.datetime]


class LoginSession(Base):
    """A log-in of a browser; only the hash of its token is kept."""

    __tablename__ = "sessions"

    id: Mapped[str] = identity()
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    csrf: Mapped[str] = mapped_column(String(64))
    user_id: Mapped[str] = link("users.id")
    created_at: Mapped[dt.datetime]
    expires_at: Mapped[dt.datetime]

    user: Mapped[User] = relationship(lazy="joined", innerjoin=True)


class LoginAttempt(Base):
    """A log-in that was tried and has not succeeded."""

    __tablename__ = "login_attempts"
    __table_args__ = (
        Index("ix_login_attempts_account_at", "account", "at"),
        Index("ix_login_attempts_address_at", "address", "at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    account: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64))
    at: Mapped[dt.datetime]


class PasswordReset(Base):
    """A link that lets one person choose a new password; the command line makes it in nobody's name."""

    __tablename__ = "password_resets"

    id: Mapped[str] = identity()
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[str] = link("users.id")
    created_by: Mapped[str | None] = maybe_link("users.id")
    created_at: Mapped[dt.datetime]
    expires_at: Mapped[dt.datetime]
    used_at: Mapped[dt.datetime | None]
