package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.client.RequestRefusedException;
import io.github.stablecut.client.ServerBusyException;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.StablecutException;

/** What a server says in AntidoteDB's protocol, as exceptions. */
final class RemoteErrors {
  /** What a server says to a request that it doesn't know. */
  private static final String UNKNOWN_CODE = "no request has code";

  private RemoteErrors() {}

  /** What is thrown for a response to a call. */
  static StablecutException of(Response response) {
    if (response instanceof Response.Failed failed) {
      return failed.message().startsWith(UNKNOWN_CODE)
          ? new NotInProtocolException(
              "the server speaks AntidoteDB's protocol only: it is of an earlier version; start it in the version of this client, or use a client of AntidoteDB's protocol")
          : of(failed.code(), failed.message());
    }
    return new ServerUnavailableException(
        "the server gave an answer to another question: " + response.getClass().getSimpleName(),
        null);
  }

  private static StablecutException of(ErrorCode code, String message) {
    return switch (code) {
      case BAD_REQUEST -> new RequestRefusedException(message, null);
      case LIMIT_EXCEEDED -> new LimitExceededException(message);
      case BUSY, DISK_FULL -> new ServerBusyException(message, null);
      default -> new ServerUnavailableException(message, null);
    };
  }
}
