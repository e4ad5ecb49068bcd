package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.internal.thread.Threads;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/**
 * A connection for calls. Confined to one thread at a time, but for {@link #close}, which ends a
 * waiting call.
 */
final class CallConnection implements Closeable {
  private static final int MAX_BYTES = 1 << 30;
  private static final int CHUNK_BYTES = 1 << 20;

  /** A server that takes less than this for a while is silent. */
  private static final int SENT_BYTES = 64 << 10;

  /** A call of so many bytes has room in every kernel, as nothing else is under way. */
  private static final int ROOM_BYTES = 4 << 10;

  /** For an answer that came before the connection was ended. */
  private static final Duration REFUSAL_PATIENCE = Duration.ofSeconds(1);

  private final Socket socket;
  private final Duration patience;
  private final DataInputStream in;
  private final OutputStream out;
  private boolean isAnswered;

  /**
   * @param socket connected; closed with this
   * @param patience how long nothing may come, unless a call says otherwise
   */
  CallConnection(Socket socket, Duration patience) throws IOException {
    this.socket = socket;
    this.patience = patience;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 14));
    this.out = socket.getOutputStream();
  }

  /**
   * Makes a call and waits for its answer.
   *
   * @param silence how long nothing may come, not even that the server is alive, and nothing be
   *     taken
   * @throws SocketTimeoutException if nothing has come, or was taken, for so long
   * @throws io.github.stablecut.error.StablecutException what the server throws
   */
  Answer call(Call call, Duration silence) throws IOException {
    try {
      send(call, silence);
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      throwRefusal();
      throw e;
    }
    return receive(silence);
  }

  /**
   * A server that refuses a call by its size says so and ends the connection before all has come.
   */
  private void throwRefusal() {
    try {
      var unused = receive(REFUSAL_PATIENCE);
    } catch (IOException e) {
      // It has not said why.
    } finally {
      close();
    }
  }

  /** Whether it may be used for further calls. */
  boolean isOpen() {
    return !socket.isClosed();
  }

  /** As {@link #call(Call, Duration)}, with the patience that the connection was made with. */
  Answer call(Call call) throws IOException {
    return call(call, patience);
  }

  /** Makes a call without waiting for its answer. */
  void send(Call call) throws IOException {
    send(call, patience);
  }

  private void send(Call call, Duration silence) throws IOException {
    try {
      write(call, silence);
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      throw isAnswered ? e : beforeFirstAnswer(e);
    }
  }

  private void write(Call call, Duration silence) throws IOException {
    List<ByteBuffer> frame = CallFrame.write(CallFrame.CALL, CallCodec.encode(call));
    for (ByteBuffer part : frame) {
      int end = part.arrayOffset() + part.limit();
      for (int from = part.arrayOffset() + part.position(); from < end; from += SENT_BYTES) {
        write(part.array(), from, Math.min(SENT_BYTES, end - from), silence);
      }
    }
  }

  /**
   * Writes a part, of which the server or the kernels between take something in time, or the
   * connection is closed. One that is small has room before anybody takes it.
   */
  private void write(byte[] bytes, int from, int length, Duration silence) throws IOException {
    if (length <= ROOM_BYTES) {
      out.write(bytes, from, length);
      return;
    }
    CompletableFuture<Void> taken = new CompletableFuture<>();
    var unused =
        taken
            .orTimeout(silence.toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete((done, late) -> endIf(late != null));
    try {
      out.write(bytes, from, length);
    } catch (IOException e) {
      throw taken.isCompletedExceptionally()
          ? new SocketTimeoutException("nothing more of a call is taken")
          : e;
    } finally {
      boolean unusedToo = taken.complete(null);
    }
  }

  /** The end of TLS would wait for the part that is not taken. */
  private void endIf(boolean isLate) {
    if (isLate) {
      breakOff();
    }
  }

  /** Ends it on another thread, whatever is under way. */
  void breakOff() {
    if (isOpen()) {
      Threads.daemon("stablecut-end", this::end).start();
    }
  }

  private void end() {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // It is closed.
    }
    close();
  }

  /**
   * Waits for the answer to the call that was made first of those that have none.
   *
   * @throws io.github.stablecut.error.StablecutException what the server throws
   */
  Answer receive() throws IOException {
    return receive(patience);
  }

  /**
   * As {@link #receive()}. Each wait says how long: one that ends with a failure leaves nothing to
   * the next.
   *
   * @param silence how long nothing may come
   */
  Answer receive(Duration silence) throws IOException {
    socket.setSoTimeout((int) Math.min(Integer.MAX_VALUE, silence.toMillis()));
    while (true) {
      byte[] frame = isAnswered ? readFrame() : readFirst();
      isAnswered = true;
      int code = frame[0] & 0xff;
      if (code == CallFrame.ANSWER) {
        checkVersion(CallFrame.version(Bytes.wrap(frame)));
        return answer(frame);
      } else if (code != CallFrame.ALIVE) {
        // It is the last of this connection.
        close();
        throw RemoteErrors.of(response(frame));
      }
    }
  }

  private static void checkVersion(int version) {
    if (version != CallFrame.VERSION) {
      throw new NotInProtocolException(
          "the server's messages are of version %d, and this client knows version %d: use a client of the server's version"
              .formatted(version, CallFrame.VERSION));
    }
  }

  private static Answer answer(byte[] frame) throws IOException {
    Answer answer;
    try {
      answer = AnswerCodec.decodeFrame(Bytes.wrap(frame));
    } catch (RuntimeException e) {
      throw new IOException("its answer can't be understood: " + e.getMessage(), e);
    }
    if (answer instanceof Answer.Failed failed) {
      throw CallFailures.exception(failed);
    }
    return answer;
  }

  private static Response response(byte[] frame) throws IOException {
    try {
      return ResponseCodec.read(new ArrayDeque<>(List.of(frame)));
    } catch (RuntimeException e) {
      throw new IOException("its answer can't be understood: is it a Stablecut server?", e);
    }
  }

  private byte[] readFirst() throws IOException {
    try {
      return readFrame();
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      throw beforeFirstAnswer(e);
    }
  }

  /**
   * Names the likely cause of a connection that breaks before the server has answered on it. A
   * server that has TLS ends a connection without it, or sends a TLS alert. With TLS 1.3 the
   * client's handshake is over before the server has verified the client's certificate, so that a
   * refused certificate may show only as a broken connection.
   */
  private IOException beforeFirstAnswer(IOException cause) {
    return socket instanceof SSLSocket
        ? new SSLException(IoReason.of(cause) + " (with TLS, before its first answer)", cause)
        : new IOException(
            IoReason.of(cause)
                + " (before its first answer: if the server has TLS, connect by stablecut+tls://)",
            cause);
  }

  private byte[] readFrame() throws IOException {
    int length = in.readInt();
    if (length < 1 || length > MAX_BYTES) {
      throw new IOException(
          "it announced an answer of %,d bytes, between 1 and %,d are taken: is it a Stablecut server?"
              .formatted(Integer.toUnsignedLong(length), MAX_BYTES));
    }
    if (length <= CHUNK_BYTES) {
      byte[] frame = in.readNBytes(length);
      return frame.length == length ? frame : ended(frame.length, length);
    }
    return readLarge(length);
  }

  /** A length alone costs nothing: memory is taken for what has come. */
  private byte[] readLarge(int length) throws IOException {
    Deque<byte[]> chunks = new ArrayDeque<>();
    int missing = length;
    while (missing > 0) {
      byte[] chunk = in.readNBytes(Math.min(missing, CHUNK_BYTES));
      if (chunk.length == 0) {
        return ended(length - missing, length);
      }
      chunks.add(chunk);
      missing -= chunk.length;
    }
    return CallFrame.join(chunks).unwrap();
  }

  private static byte[] ended(int read, int length) throws EOFException {
    throw new EOFException(
        "the connection ended %,d bytes before an answer of %,d".formatted(length - read, length));
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed as far as that can be.
    }
  }
}
