package io.github.stablecut.examples.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.RequestCodec;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.crdt.Bytes;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * What asks for counters in one protocol.
 *
 * @param reads a request that reads a counter, by counter
 * @param updates one that counts it up
 * @param answers reads an answer
 */
record WireTarget(
    String name, WirePeer peer, List<byte[]> reads, List<byte[]> updates, Answers answers) {
  private static final int MAX_BYTES = 1 << 20;

  /** Reads an answer to its end. */
  @FunctionalInterface
  interface Answers {
    /** Throws if it is an error. */
    void read(DataInputStream in) throws IOException;
  }

  /** Of AntidoteDB's protocol, at whatever takes its frames. */
  static WireTarget ofFrames(String name, WirePeer peer, int counters) {
    return new WireTarget(
        name,
        peer,
        all(counters, key -> frame(new Request.StaticRead(Optional.empty(), List.of(bound(key))))),
        all(
            counters,
            key ->
                frame(
                    new Request.StaticUpdate(
                        Optional.empty(),
                        List.of(new ObjectUpdate(bound(key), new WireOperation.Count(1)))))),
        in -> in.skipNBytes(in.readInt()));
  }

  private static List<byte[]> all(int counters, Function<String, byte[]> request) {
    return IntStream.range(0, counters).mapToObj(number -> request.apply("key" + number)).toList();
  }

  private static BoundObject bound(String key) {
    return new BoundObject(Bytes.utf8(key), WireType.COUNTER, Bytes.utf8("bench"));
  }

  private static byte[] frame(Request request) {
    return whole(RequestCodec.write(request, MAX_BYTES));
  }

  /** The bytes of a frame. */
  static byte[] whole(List<ByteBuffer> frame) {
    ByteBuffer whole = ByteBuffer.allocate(frame.stream().mapToInt(ByteBuffer::remaining).sum());
    frame.forEach(whole::put);
    return whole.array();
  }

  /** Of Redis' protocol. */
  static WireTarget ofRedis(WirePeer peer, int counters) {
    return new WireTarget(
        "redis",
        peer,
        all(counters, key -> command("GET", key)),
        all(counters, key -> command("INCR", key)),
        WireTarget::readReply);
  }

  private static byte[] command(String name, String key) {
    return "*2\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n"
        .formatted(name.length(), name, key.length(), key)
        .getBytes(US_ASCII);
  }

  private static void readReply(DataInputStream in) throws IOException {
    int kind = in.read();
    String rest = line(in);
    if (kind == '$' && !rest.equals("-1")) {
      in.skipNBytes(Integer.parseInt(rest) + 2L);
    } else if (kind != ':' && kind != '$') {
      throw new IOException("redis has answered " + (char) kind + rest);
    }
  }

  private static String line(DataInputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\r'; next = in.read()) {
      if (next < 0) {
        throw new IOException("redis has closed the connection");
      }
      line.append((char) next);
    }
    in.skipNBytes(1);
    return line.toString();
  }
}
