package io.github.stablecut.internal.link;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.file.FileTrees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Requests the initial state for a new data centre, or a data centre's description. Confined to one
 * thread.
 */
public final class JoinCall {
  private static final int MAX_REFERENCES = 4;

  /** The timeout of the request; a consistent cut of the store is made first. */
  private static final int TIMEOUT_MILLIS = 300_000;

  private JoinCall() {}

  /** Thrown when a data centre refuses a join. */
  public static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_WHY = 1_000;

    RefusedException(String why) {
      super(PrintableText.of(why, MAX_WHY));
    }
  }

  /**
   * Fetches the files.
   *
   * @param addresses the addresses of data centres of the group, tried in order
   * @param directory emptied first
   * @param progress receives the number of bytes so far
   * @throws RefusedException if one of them refuses
   * @throws IOException if none of them answers
   */
  public static void fetch(
      Sockets sockets, List<String> addresses, Path directory, LongConsumer progress)
      throws IOException {
    List<String> failures = new ArrayList<>();
    for (String address : addresses) {
      // Remove a partial transfer.
      FileTrees.clear(directory);
      try {
        fetch(sockets, address, directory, progress, MAX_REFERENCES);
        return;
      } catch (RefusedException e) {
        throw e;
      } catch (IOException e) {
        failures.add(address + ": " + IoReason.of(e));
      }
    }
    throw new IOException(String.join("; ", failures));
  }

  /**
   * Requests the description of the data centre at an address.
   *
   * @throws IOException if there is no answer, with a message for users
   */
  public static DataCentreInfo ask(Sockets sockets, String address) throws IOException {
    try (SocketStreams connection = SocketStreams.of(sockets.connect(Address.parse(address)))) {
      new Handshake.Question().write(connection.out());
      if (Handshake.read(connection.in()) instanceof Handshake.Answer answer) {
        return answer.about();
      }
      throw new IOException("a malformed answer");
    }
  }

  private static void fetch(
      Sockets sockets, String address, Path directory, LongConsumer progress, int references)
      throws IOException {
    String elsewhere;
    try (SocketStreams connection = SocketStreams.of(sockets.connect(Address.parse(address)))) {
      new Handshake.Join().write(connection.out());
      connection.setReadTimeout(TIMEOUT_MILLIS);
      Handshake answer = Handshake.read(connection.in());
      if (answer instanceof Handshake.Welcome) {
        connection.setReadTimeout(Sockets.HANDSHAKE_MILLIS);
        JoinSender.receive(connection.in(), directory, progress);
        return;
      }
      if (answer instanceof Handshake.Refused refused) {
        throw new RefusedException(address + " refuses: " + refused.why());
      }
      if (!(answer instanceof Handshake.Redirect reference) || references == 0) {
        throw new IOException("a malformed answer");
      }
      elsewhere = reference.address();
    }
    fetch(sockets, elsewhere, directory, progress, references - 1);
  }
}
