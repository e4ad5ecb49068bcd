package io.github.stablecut.internal.link;

import io.github.stablecut.error.PrintableText;
import io.github.stablecut.file.FileTrees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** Asks a data centre who it is, and for what a new one begins with. Confined to one thread. */
public final class JoinCall {
  private static final int MOST_REFERENCES = 4;

  /** A cut through the store has to be made first. */
  private static final int PATIENCE_MILLIS = 300_000;

  private JoinCall() {}

  /** Somebody who is there says that nobody can join. */
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
   * @param addresses of data centres of the group, asked one after the other
   * @param directory emptied first
   * @param progress told of the bytes so far
   * @throws RefusedException if one of them refuses
   * @throws IOException if none of them answers
   */
  public static void fetch(
      Sockets sockets, List<String> addresses, Path directory, LongConsumer progress)
      throws IOException {
    List<String> failures = new ArrayList<>();
    for (String address : addresses) {
      // Somebody may have sent a part of it.
      FileTrees.clear(directory);
      try {
        fetch(sockets, address, directory, progress, MOST_REFERENCES);
        return;
      } catch (RefusedException e) {
        throw e;
      } catch (IOException e) {
        failures.add(address + ": " + e.getMessage());
      }
    }
    throw new IOException(String.join("; ", failures));
  }

  /**
   * Asks who is at an address.
   *
   * @throws IOException if nobody answers, with words for people
   */
  public static DataCentreInfo ask(Sockets sockets, String address) throws IOException {
    try (SocketStreams wire = SocketStreams.of(sockets.connect(Address.parse(address)))) {
      new Handshake.Question().write(wire.out());
      if (Handshake.read(wire.in()) instanceof Handshake.Answer answer) {
        return answer.about();
      }
      throw new IOException("an answer that is not understood");
    }
  }

  private static void fetch(
      Sockets sockets, String address, Path directory, LongConsumer progress, int references)
      throws IOException {
    String elsewhere;
    try (SocketStreams wire = SocketStreams.of(sockets.connect(Address.parse(address)))) {
      new Handshake.Join().write(wire.out());
      wire.waitAtMost(PATIENCE_MILLIS);
      Handshake answer = Handshake.read(wire.in());
      if (answer instanceof Handshake.Welcome) {
        wire.waitAtMost(Sockets.HELLO_MILLIS);
        JoinSender.receive(wire.in(), directory, progress);
        return;
      }
      if (answer instanceof Handshake.Refused refused) {
        throw new RefusedException(address + " refuses: " + refused.why());
      }
      if (!(answer instanceof Handshake.Elsewhere reference) || references == 0) {
        throw new IOException("an answer that is not understood");
      }
      elsewhere = reference.address();
    }
    fetch(sockets, elsewhere, directory, progress, references - 1);
  }
}
