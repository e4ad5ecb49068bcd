package io.github.stablecut.examples.verification;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.Store;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Executes transactions that arrive at a local port, one line each. Each connection is a client.
 * The lines {@code inject} and {@code heal} control faults. Thread-safe.
 */
final class TransactionServer implements Closeable {
  private final TargetStores stores;
  private final TransactionDriver driver;
  private final ServerSocket listening;
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger clients = new AtomicInteger();

  private TransactionServer(TargetStores stores, TransactionDriver driver) throws IOException {
    this.stores = stores;
    this.driver = driver;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  /** Listens on a free port. */
  static TransactionServer start(TargetStores stores, TransactionDriver driver) throws IOException {
    TransactionServer server = new TransactionServer(stores, driver);
    thread("accept", server::accept).start();
    return server;
  }

  int port() {
    return listening.getLocalPort();
  }

  private static Thread thread(String name, Runnable work) {
    Thread thread = new Thread(work, "verification-" + name);
    thread.setDaemon(true);
    return thread;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listening.accept();
        connections.add(socket);
        thread("client", () -> serve(socket)).start();
      }
    } catch (IOException e) {
      if (!listening.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void serve(Socket socket) {
    Client client = new Client(clients.getAndIncrement());
    try (socket;
        client;
        BufferedReader in =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
        Writer out = new OutputStreamWriter(socket.getOutputStream(), UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.write(client.answer(line) + "\n");
        out.flush();
      }
    } catch (IOException e) {
      // The client has ended, or the server is closed.
    } finally {
      connections.remove(socket);
    }
  }

  /** The other end of a connection; connects with its first transaction. Confined to one thread. */
  private final class Client implements Closeable {
    private final int number;
    private @Nullable Store store;

    Client(int number) {
      this.number = number;
    }

    String answer(String line) {
      return switch (line) {
        case "inject" -> stores.inject();
        case "heal" -> {
          stores.heal();
          yield "healed";
        }
        default -> driver.answer(this::store, line);
      };
    }

    private Store store() {
      if (store == null) {
        store = stores.open(number);
      }
      return store;
    }

    @Override
    public void close() {
      if (store != null) {
        stores.release(store);
      }
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : connections) {
      socket.close();
    }
  }
}
