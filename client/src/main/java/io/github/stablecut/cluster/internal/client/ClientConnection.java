package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.RequestCodec;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** A connection that carries AntidoteDB's protocol. Confined to one thread at a time. */
public final class ClientConnection implements Closeable {
  private static final int CHUNK_BYTES = 1 << 20;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final long maxBytes;

  /**
   * @param socket connected; closed with this
   * @param maxBytes the maximum size of requests and answers
   */
  public ClientConnection(Socket socket, long maxBytes) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 14));
    this.out = socket.getOutputStream();
    this.maxBytes = maxBytes;
  }

  /** Sends a request and waits for its answer. */
  public Response call(Request request) throws IOException {
    send(request);
    return receive();
  }

  /** Sends a request; answers arrive in the order of the requests. */
  public void send(Request request) throws IOException {
    List<ByteBuffer> frame = RequestCodec.write(request, maxBytes);
    for (ByteBuffer part : frame) {
      out.write(part.array(), part.arrayOffset() + part.position(), part.remaining());
    }
  }

  /** Waits for the next answer. */
  public Response receive() throws IOException {
    int length = in.readInt();
    if (length < 1 || length > maxBytes) {
      throw new IOException(
          "it announced an answer of %,d bytes, outside 1 to %,d: is it a server of AntidoteDB's protocol?"
              .formatted(Integer.toUnsignedLong(length), maxBytes));
    }
    Deque<byte[]> chunks = new ArrayDeque<>();
    int missing = length;
    while (missing > 0) {
      byte[] chunk = in.readNBytes(Math.min(missing, CHUNK_BYTES));
      if (chunk.length == 0) {
        throw new EOFException(
            "the connection ended %,d bytes before an answer of %,d".formatted(missing, length));
      }
      chunks.add(chunk);
      missing -= chunk.length;
    }
    return ResponseCodec.read(chunks);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
