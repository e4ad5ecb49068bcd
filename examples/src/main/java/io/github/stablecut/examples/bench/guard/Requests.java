package io.github.stablecut.examples.bench.guard;

import io.github.stablecut.examples.bench.commit.CommitTarget;
import io.github.stablecut.examples.bench.wire.WireTarget;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/** Clients of a server, each with a connection of its own and one request in flight. */
final class Requests implements CommitTarget {
  private static final int PERCENT = 100;

  private final WireTarget target;
  private final int reads;
  private final ThreadLocal<Connection> connections = ThreadLocal.withInitial(this::connect);
  private final Queue<Connection> all = new ConcurrentLinkedQueue<>();

  private record Connection(Socket socket, DataInputStream in) {}

  Requests(WireTarget target, int reads) {
    this.target = target;
    this.reads = reads;
  }

  private Connection connect() {
    try {
      Socket socket =
          new Socket(target.peer().address().getAddress(), target.peer().address().getPort());
      socket.setTcpNoDelay(true);
      Connection connection =
          new Connection(
              socket, new DataInputStream(new BufferedInputStream(socket.getInputStream())));
      all.add(connection);
      return connection;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void commit(byte[] body) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    boolean isRead = random.nextInt(PERCENT) < reads;
    List<byte[]> requests = isRead ? target.reads() : target.updates();
    Connection connection = connections.get();
    try {
      connection.socket.getOutputStream().write(requests.get(random.nextInt(requests.size())));
      target.answers().read(connection.in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public long syncs() {
    return -1;
  }

  @Override
  public void close() {
    for (Connection connection : all) {
      try {
        connection.socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
