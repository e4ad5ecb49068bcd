package io.github.stablecut.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Data from a connection round-trips or is refused by an IOException. */
final class LinkParserProperties {
  private static DataInputStream in(byte[] bytes) {
    return new DataInputStream(new ByteArrayInputStream(bytes));
  }

  @Provide
  Arbitrary<Handshake> hellos() {
    Arbitrary<Integer> numbers = Arbitraries.integers().between(0, Handshake.ANY);
    Arbitrary<String> texts = Arbitraries.strings().alpha().ofMaxLength(300);
    return Arbitraries.oneOf(
        List.of(
            Arbitraries.longs()
                .flatMap(
                    id ->
                        numbers.map(
                            number ->
                                new Handshake.Member(
                                    id, ~id, number, Handshake.ANY, "host:" + number))),
            Arbitraries.just(new Handshake.Join()),
            numbers.map(number -> new Handshake.Welcome(number, "host:" + number)),
            texts.map(Handshake.Refused::new),
            texts.map(Handshake.Redirect::new)));
  }

  private static byte[] written(Handshake hello) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    hello.write(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  @Property
  void aHelloRoundTrips(@ForAll("hellos") Handshake hello) throws IOException {
    assertThat(Handshake.read(in(written(hello)))).isEqualTo(hello);
  }

  @Property
  void refusesAChangedHello(@ForAll("hellos") Handshake hello, @ForAll int at, @ForAll byte to)
      throws IOException {
    byte[] bytes = written(hello);
    int place = Math.floorMod(at, bytes.length);
    byte before = bytes[place];
    bytes[place] = to;
    if (before != to) {
      assertThatThrownBy(() -> Handshake.read(in(bytes))).isInstanceOf(IOException.class);
    }
  }

  @Example
  void saysWhyThereIsNoHello() {
    assertThatThrownBy(() -> Handshake.read(in(new byte[3])))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("the other side has closed the connection without an answer");
  }

  @Property
  void anyBytesAreAFrameOrInvalid(@ForAll byte[] bytes) {
    try {
      assertThat(Frames.read(in(bytes), 1_000).length()).isLessThanOrEqualTo(bytes.length);
    } catch (IOException e) {
      assertThat(e).isNotNull();
    }
  }

  @Example
  void anOversizedFrameTakesNoMemory() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new DataOutputStream(bytes).writeInt(Integer.MAX_VALUE);
    new DataOutputStream(bytes).writeInt(0);
    assertThatThrownBy(() -> Frames.read(in(bytes.toByteArray()), Frames.MAX_BYTES))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("2,147,483,647");
  }

  @Example
  void readsLargeFramesInPieces() throws IOException {
    byte[] payload = new byte[3_000_001];
    payload[3_000_000] = 7;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Frames.write(Bytes.wrap(payload), new DataOutputStream(bytes));
    assertThat(Frames.read(in(bytes.toByteArray()), Frames.MAX_BYTES))
        .isEqualTo(Bytes.wrap(payload));
  }

  @Property(tries = 200)
  void receivedFilesStayInTheirDirectory(@ForAll("names") String name) throws IOException {
    Path directory = Files.createTempDirectory("received");
    try {
      Path target = Files.createDirectory(directory.resolve("target"));
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
      out.writeShort(encoded.length);
      out.write(encoded);
      out.writeLong(1);
      out.writeByte(1);
      out.writeShort(0);
      try {
        JoinSender.receive(in(bytes.toByteArray()), target, done -> {});
        assertThat(target.resolve(name)).isRegularFile();
      } catch (IOException e) {
        assertThat(target).isEmptyDirectory();
      }
      try (Stream<Path> all = Files.list(directory)) {
        assertThat(all).containsExactly(target);
      }
    } finally {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  @Provide
  Arbitrary<String> names() {
    return Arbitraries.oneOf(
        List.of(
            Arbitraries.of(
                "BACKUP", "p0/run-7", "p12/JOURNAL", "..", "../x", "p0/..", "/tmp/x", "p0/p1/x"),
            Arbitraries.strings().withChars("p0./-aB\\").ofMinLength(1).ofMaxLength(12)));
  }

  @Example
  void addressesRoundTrip() {
    for (String text : List.of("frankfurt.example:7600", "127.0.0.1:0", "[::1]:65535")) {
      assertThat(Address.parse(text)).hasToString(text);
    }
    for (String text : List.of("", ":1", "host", "host:", "host:65536", "::1:7600", "a b:1")) {
      assertThatThrownBy(() -> Address.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
