package io.github.stablecut.cluster.internal.antidote;

import static io.github.stablecut.cluster.internal.antidote.Frames.NO_LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.error.LimitExceededException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/**
 * Messages are decoded as they were encoded, however their bytes are split; arbitrary bytes do no
 * harm.
 */
final class MessageProperties {
  @Property
  void decodesRequestsAsEncoded(
      @ForAll("requests") Request request, @ForAll @IntRange(min = 1, max = 40) int chunkBytes) {
    byte[] body = Frames.body(RequestCodec.write(request, NO_LIMIT));

    assertThat(RequestCodec.read(Frames.chunks(body, chunkBytes))).isEqualTo(request);
  }

  @Property
  void decodesResponsesAsEncoded(
      @ForAll("responses") Response response, @ForAll @IntRange(min = 1, max = 40) int chunkBytes) {
    byte[] body = Frames.body(ResponseCodec.write(response, NO_LIMIT));

    assertThat(ResponseCodec.read(Frames.chunks(body, chunkBytes))).isEqualTo(response);
  }

  @Property(tries = 5_000)
  void decodesOrRefusesDamagedRequests(@ForAll("requests") Request request, @ForAll long seed) {
    Random random = new Random(seed);
    byte[] body = Frames.body(RequestCodec.write(request, NO_LIMIT));
    for (int i = 0; i <= random.nextInt(3); i++) {
      body[random.nextInt(body.length)] = (byte) random.nextInt(256);
    }

    readOrRefused(body);
  }

  @Property(tries = 5_000)
  void decodesOrRefusesAnyBytes(@ForAll byte[] bytes, @ForAll("codes") int code) {
    byte[] body = new byte[bytes.length + 1];
    body[0] = (byte) code;
    System.arraycopy(bytes, 0, body, 1, bytes.length);

    readOrRefused(body);
  }

  private static void readOrRefused(byte[] body) {
    try {
      assertThat(RequestCodec.read(Frames.chunks(body, 7))).isNotNull();
    } catch (ProtocolException | LimitExceededException e) {
      assertThat(e).hasMessageMatching("(?s).{10,}");
    }
  }

  @Property(tries = 50)
  void refusesMessagesNestedTooDeep(
      @ForAll @IntRange(min = WireReader.MAX_DEPTH / 3, max = WireReader.MAX_DEPTH) int depth) {
    WireOperation operation = new WireOperation.Reset();
    WireMapKey mapKey = new WireMapKey(Bytes.EMPTY, WireType.RRMAP);
    for (int i = 0; i < depth; i++) {
      operation =
          new WireOperation.Entries(
              List.of(new WireOperation.Nested(mapKey, operation)), List.of());
    }
    BoundObject object = new BoundObject(Bytes.EMPTY, WireType.RRMAP, Bytes.EMPTY);
    List<ByteBuffer> frame =
        RequestCodec.write(
            new Request.StaticUpdate(
                Optional.empty(), List.of(new ObjectUpdate(object, operation))),
            NO_LIMIT);
    byte[] body = Frames.body(frame);

    assertThatThrownBy(() -> RequestCodec.read(new ArrayDeque<>(List.of(body))))
        .isInstanceOf(LimitExceededException.class)
        .hasMessage(Encoder.TOO_DEEP);
  }

  @Provide
  Arbitrary<Integer> codes() {
    return Arbitraries.of(116, 118, 119, 120, 121, 122, 123, 129, 131, 133, 135, 0, 255);
  }

  @Provide
  Arbitrary<Request> requests() {
    Arbitrary<Optional<Bytes>> clocks = bytes().optional();
    Arbitrary<List<ObjectUpdate>> updates =
        Combinators.combine(objects(), operations(2)).as(ObjectUpdate::new).list().ofMaxSize(4);
    Arbitrary<List<BoundObject>> objects = objects().list().ofMaxSize(4);
    return Arbitraries.oneOf(
        clocks.map(Request.Start::new),
        bytes().map(Request.Abort::new),
        bytes().map(Request.Commit::new),
        Combinators.combine(objects, bytes()).as(Request.Read::new),
        Combinators.combine(updates, bytes()).as(Request.Update::new),
        Combinators.combine(clocks, updates).as(Request.StaticUpdate::new),
        Combinators.combine(clocks, objects).as(Request.StaticRead::new),
        Combinators.combine(objects, bytes())
            .as(
                (some, token) ->
                    new Request.Validate(some, some.stream().map(o -> token).toList(), token)),
        bytes().list().ofMaxSize(3).map(Request.ConnectDataCentres::new));
  }

  @Provide
  Arbitrary<Response> responses() {
    Arbitrary<List<WireValue>> values = values(2).list().ofMaxSize(4);
    Arbitrary<ErrorCode> errors = Arbitraries.of(ErrorCode.class);
    return Arbitraries.oneOf(
        Combinators.combine(errors, Arbitraries.strings().alpha()).as(Response.Failed::new),
        Arbitraries.just(new Response.Done()),
        errors.map(Response.Refused::new),
        errors.map(Response.NotCommitted::new),
        Combinators.combine(errors, Arbitraries.strings().alpha())
            .as(Response.DataCentreNotCreated::new),
        Combinators.combine(errors, Arbitraries.strings().alpha())
            .as(Response.DataCentresNotConnected::new),
        bytes().map(Response.Started::new),
        bytes().map(Response.Committed::new),
        values.map(Response.Values::new),
        Combinators.combine(values, bytes()).as(Response.StaticValues::new),
        Combinators.combine(values(1).optional().list().ofMaxSize(3), bytes().list().ofMaxSize(3))
            .as(Response.Validated::new));
  }

  private static Arbitrary<Bytes> bytes() {
    return Arbitraries.bytes().array(byte[].class).ofMaxSize(20).map(Bytes::copyOf);
  }

  private static Arbitrary<BoundObject> objects() {
    return Combinators.combine(bytes(), Arbitraries.of(WireType.class), bytes())
        .as(BoundObject::new);
  }

  private static Arbitrary<WireMapKey> mapKeys() {
    return Combinators.combine(bytes(), Arbitraries.of(WireType.class)).as(WireMapKey::new);
  }

  private static Arbitrary<WireOperation> operations(int depth) {
    Arbitrary<WireOperation> flat =
        Arbitraries.oneOf(
            Arbitraries.longs().map(WireOperation.Count::new),
            Combinators.combine(Arbitraries.of(true, false), bytes().list().ofMaxSize(3))
                .as(WireOperation.Elements::new),
            bytes().map(WireOperation.Assign::new),
            Arbitraries.of(true, false).map(WireOperation.Flag::new),
            Arbitraries.just(new WireOperation.Reset()));
    if (depth == 0) {
      return flat;
    }
    Arbitrary<WireOperation> maps =
        Combinators.combine(
                Combinators.combine(mapKeys(), operations(depth - 1))
                    .as(WireOperation.Nested::new)
                    .list()
                    .ofMaxSize(3),
                mapKeys().list().ofMaxSize(3))
            .as(WireOperation.Entries::new);
    return Arbitraries.oneOf(flat, maps);
  }

  private static Arbitrary<WireValue> values(int depth) {
    Arbitrary<WireValue> flat =
        Arbitraries.oneOf(
            Arbitraries.longs().map(WireValue.Count::new),
            bytes().list().ofMaxSize(3).map(WireValue.Elements::new),
            bytes().map(WireValue.Register::new),
            bytes().list().ofMaxSize(3).map(WireValue.Registers::new),
            Arbitraries.of(true, false).map(WireValue.Flag::new));
    if (depth == 0) {
      return flat;
    }
    Arbitrary<WireValue> maps =
        Combinators.combine(mapKeys(), values(depth - 1))
            .as(WireValue.Entry::new)
            .list()
            .ofMaxSize(3)
            .map(WireValue.Entries::new);
    return Arbitraries.oneOf(flat, maps);
  }
}
