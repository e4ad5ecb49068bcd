package io.github.stablecut.cluster;

import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.Threads;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A port at which a test's script answers the calls of clients. Thread-safe. */
public final class ScriptedServer implements AutoCloseable {
  private final ServerSocket port;
  private final Function<Call, Optional<Answer>> script;
  private final List<Socket> clients = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final List<Call> calls = new CopyOnWriteArrayList<>();

  /**
   * @param script the answer to a call, possibly on several threads at once; empty for no answer.
   *     Throws an UncheckedIOException to close the connection
   */
  public ScriptedServer(Function<Call, Optional<Answer>> script) {
    this.script = script;
    try {
      this.port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  /** The exception by which a script closes a connection. */
  public static UncheckedIOException brokenOff() {
    return new UncheckedIOException(new IOException("injected: the connection breaks off"));
  }

  /** The default answer to calls that open and close handles and don't matter to a test. */
  public static Answer usual(Call call) {
    if (call instanceof Call.Hello) {
      return new Answer.Welcome(CallFrame.VERSION, "a test's");
    } else if (call == Call.Plain.LAYOUT) {
      return new Answer.PartitionOwners(1, 0, List.of(), List.of());
    }
    return call instanceof Call.Renew ? new Answer.Renewed(List.of()) : new Answer.Done();
  }

  /** A point of the store. */
  public static CausalToken point(long opening) {
    return new CausalToken(1, opening, VectorClock.ZERO);
  }

  private void start(Runnable task) {
    Thread thread = new Thread(task, "scripted-server");
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private void accept() {
    while (true) {
      try {
        Socket client = port.accept();
        clients.add(client);
        start(() -> serve(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      DataInputStream in = new DataInputStream(client.getInputStream());
      while (true) {
        byte[] frame = in.readNBytes(in.readInt());
        Call call = CallCodec.decodeFrame(Bytes.wrap(frame));
        calls.add(call);
        Optional<Answer> answer = script.apply(call);
        if (answer.isPresent()) {
          for (ByteBuffer part :
              CallFrame.write(CallFrame.ANSWER, AnswerCodec.encode(answer.get()))) {
            client
                .getOutputStream()
                .write(part.array(), part.arrayOffset() + part.position(), part.remaining());
          }
        }
      }
    } catch (IOException | UncheckedIOException e) {
      // The client has disconnected, or the script closed the connection.
    }
  }

  /** The address of the port. */
  public InetSocketAddress address() {
    return (InetSocketAddress) port.getLocalSocketAddress();
  }

  /** The URI for {@code Stablecut.connect}. */
  String uri() {
    return "stablecut://127.0.0.1:%d?timeout=5".formatted(port.getLocalPort());
  }

  /** The calls of a kind so far, in their order. */
  public <C extends Call> List<C> calls(Class<C> kind) {
    return calls.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** Waits until everything that clients sent before they were closed has arrived. */
  public void awaitEnd() throws InterruptedException {
    for (Thread thread : threads.subList(1, threads.size())) {
      thread.join();
    }
  }

  @Override
  public void close() throws IOException {
    port.close();
    // Also closes a connection that was accepted meanwhile.
    Threads.join(threads.get(0));
    for (Socket client : clients) {
      client.close();
    }
  }
}
