package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * Generates the malformed input that attackers send to the ports of a node, from a seeded random
 * generator.
 */
final class Attacks {
  private static final int[] LENGTHS = {
    0, -1, 1, 4, 28, 256 << 10, Integer.MIN_VALUE, Integer.MAX_VALUE
  };

  private Attacks() {}

  private static byte[] noise(Random random, int most) {
    byte[] bytes = new byte[random.nextInt(most)];
    random.nextBytes(bytes);
    return bytes;
  }

  /** The first bytes of Akka's streams, with lengths and headers that break its decoder. */
  static List<byte[]> onNodes(Random random, int number) throws Exception {
    List<byte[]> all = new ArrayList<>();
    for (int length : LENGTHS) {
      for (int stream : new int[] {1, 2, 3, 9}) {
        all.add(akka(stream, length, new byte[4]));
        all.add(akka(stream, length, new byte[100]));
      }
    }
    for (int i = 0; i < number; i++) {
      byte[] body = noise(random, 2_000);
      all.add(
          switch (i % 3) {
            case 0 -> body;
            case 1 -> akka(1 + random.nextInt(3), body.length, body);
            default -> mutated(random, greeting());
          });
    }
    return all;
  }

  private static byte[] akka(int stream, int length, byte[] body) {
    return ByteBuffer.allocate(9 + body.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put("AKKA".getBytes(US_ASCII))
        .put((byte) stream)
        .putInt(length)
        .put(body)
        .array();
  }

  /** The beginning of a TLS handshake. */
  static byte[] greeting() throws Exception {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine();
    engine.setUseClientMode(true);
    ByteBuffer greeting = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), greeting);
    return Arrays.copyOf(greeting.array(), greeting.position());
  }

  private static byte[] mutated(Random random, byte[] bytes) {
    for (int i = 0; i <= random.nextInt(4); i++) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    return random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
  }

  /** Frames with wrong lengths, and requests with wrong bytes. */
  static List<byte[]> onClients(Random random, int number) {
    List<byte[]> all = new ArrayList<>();
    for (int length : LENGTHS) {
      all.add(ByteBuffer.allocate(4).putInt(length).array());
      all.add(ByteBuffer.allocate(1_000).putInt(length).array());
    }
    for (int i = 0; i < number; i++) {
      all.add(i % 2 == 0 ? noise(random, 2_000) : FuzzTest.mutated(random));
    }
    return all;
  }

  /** Input that resembles HTTP. */
  static List<byte[]> onAdminPort(Random random, int number) {
    List<byte[]> all = new ArrayList<>();
    for (String text :
        List.of(
            "GET / HTTP/1.1\r\n\r\n",
            "GET /alive HTTP/9.9\r\n\r\n",
            "GET /" + "a".repeat(100_000) + " HTTP/1.1\r\n\r\n",
            "GET /alive HTTP/1.1\r\n" + "X: y\r\n".repeat(20_000) + "\r\n",
            "GET /alive HTTP/1.1\r\n: \r\n\u0000\r\n\r\n",
            "DELETE /alive HTTP/1.1\r\n\r\n",
            "POST /api/v1/cluster/leave HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n",
            "POST /api/v1/cluster/leave HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST /api/v1/cluster/leave HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "POST /api/v1/cluster/leave HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n")) {
      all.add(text.getBytes(US_ASCII));
    }
    byte[] request = "GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(US_ASCII);
    for (int i = 0; i < number; i++) {
      all.add(i % 2 == 0 ? noise(random, 2_000) : mutated(random, request.clone()));
    }
    return all;
  }

  /**
   * Sends the same bytes repeatedly on many connections and reads no answer. Stops when the server
   * accepts no more or has accepted the given number of bytes, and disconnects.
   */
  static void flood(int port, byte[] unit, int connections, int bytes) throws Exception {
    byte[] many = new byte[Math.max(1, 65_536 / unit.length) * unit.length];
    for (int i = 0; i < many.length; i++) {
      many[i] = unit[i % unit.length];
    }
    List<SocketChannel> channels = new ArrayList<>();
    try {
      for (int i = 0; i < connections; i++) {
        SocketChannel channel =
            SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.configureBlocking(false);
        channels.add(channel);
      }
      int[] sent = new int[connections];
      int pauses = 0;
      while (pauses < 10) {
        int written = 0;
        for (int i = 0; i < connections; i++) {
          int now = sent[i] < bytes ? send(channels.get(i), many, sent[i]) : 0;
          sent[i] += now;
          written += now;
        }
        if (written == 0) {
          pauses++;
          Thread.sleep(20);
        } else {
          pauses = 0;
        }
      }
    } finally {
      for (SocketChannel channel : channels) {
        channel.close();
      }
    }
  }

  /** The number of bytes that the server accepted; 0 if it has closed the connection. */
  private static int send(SocketChannel channel, byte[] many, int begin) {
    try {
      int from = begin % many.length;
      return channel.write(ByteBuffer.wrap(many, from, many.length - from));
    } catch (IOException e) {
      return 0;
    }
  }
}
