package io.github.stablecut.examples.bench.wire;

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
 * Requests for counters in one protocol.
 *
 * @param reads by counter, a request that reads it
 * @param updates by counter, a request that increments it
 * @param answers reads an answer
 */
public record WireTarget(
    String name, WirePeer peer, List<byte[]> reads, List<byte[]> updates, Answers answers) {
  private static final int MAX_BYTES = 1 << 20;

  /** Reads an entire answer. */
  @FunctionalInterface
  public interface Answers {
    /** Reads an answer; throws if it is an error. */
    void read(DataInputStream in) throws IOException;
  }

  /** A target of AntidoteDB's protocol, at any peer that accepts its frames. */
  public static WireTarget ofFrames(String name, WirePeer peer, int counters) {
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

  /** Joins the parts of a frame. */
  public static byte[] whole(List<ByteBuffer> frame) {
    ByteBuffer whole = ByteBuffer.allocate(frame.stream().mapToInt(ByteBuffer::remaining).sum());
    frame.forEach(whole::put);
    return whole.array();
  }

  /** A target of Redis's protocol. */
  public static WireTarget ofRedis(WirePeer peer, int counters) {
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
      throw new IOException("redis answered " + (char) kind + rest);
    }
  }

  private static String line(DataInputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\r'; next = in.read()) {
      if (next < 0) {
        throw new IOException("redis closed the connection");
      }
      line.append((char) next);
    }
    in.skipNBytes(1);
    return line.toString();
  }
}
