package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.client.RequestRefusedException;
import io.github.stablecut.client.ServerBusyException;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.StablecutException;

/** Translates error responses of AntidoteDB's protocol to exceptions. */
final class RemoteErrors {
  /** The beginning of a server's message about an unknown request. */
  private static final String UNKNOWN_CODE = "no request has code";

  private RemoteErrors() {}

  /** The exception for a response to a call. */
  static StablecutException of(Response response) {
    if (response instanceof Response.Failed failed) {
      return failed.message().startsWith(UNKNOWN_CODE)
          ? new NotInProtocolException(
              "the server speaks only AntidoteDB's protocol, so its version is too old: upgrade it to the version of this client, or use a client of AntidoteDB's protocol")
          : of(failed.code(), failed.message());
    }
    return new ServerUnavailableException(
        "the server sent an unexpected response: " + response.getClass().getSimpleName(), null);
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
