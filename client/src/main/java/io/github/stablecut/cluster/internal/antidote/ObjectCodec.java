package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes objects and keys of map entries.
 *
 * <pre>
 *   ApbBoundObject   ! bytes key=1   ! CRDT_type type=2   ! bytes bucket=3
 *   ApbMapKey        ! bytes key=1   ! CRDT_type type=2
 *   ApbUpdateOp      ! ApbBoundObject boundobject=1   ! ApbUpdateOperation operation=2
 * </pre>
 */
final class ObjectCodec {
  private static final int KEY = 1;
  private static final int TYPE = 2;
  private static final int BUCKET = 3;
  private static final int OBJECT = 1;
  private static final int OPERATION = 2;

  private ObjectCodec() {}

  /** Checks that a message has a required field. */
  static <T> T required(@Nullable T field, String name) {
    if (field == null) {
      throw new ProtocolException(name + " is missing");
    }
    return field;
  }

  static BoundObject readObject(WireReader in) {
    Bytes key = null;
    WireType type = null;
    Bytes bucket = null;
    while (in.hasNext()) {
      switch (in.next()) {
        case KEY -> key = in.bytes();
        case TYPE -> type = readType(in);
        case BUCKET -> bucket = in.bytes();
        default -> in.skip();
      }
    }
    return new BoundObject(
        required(key, "the key of an object"),
        required(type, "the type of an object"),
        required(bucket, "the bucket of an object"));
  }

  static void writeObject(WireWriter out, BoundObject object) {
    out.bytes(BUCKET, object.bucket());
    out.varint(TYPE, object.type().number());
    out.bytes(KEY, object.key());
  }

  static WireMapKey readPlace(WireReader in) {
    Bytes key = null;
    WireType type = null;
    while (in.hasNext()) {
      switch (in.next()) {
        case KEY -> key = in.bytes();
        case TYPE -> type = readType(in);
        default -> in.skip();
      }
    }
    return new WireMapKey(
        required(key, "the key of a map entry"), required(type, "the type of a map entry"));
  }

  static void writePlace(WireWriter out, WireMapKey place) {
    out.varint(TYPE, place.type().number());
    out.bytes(KEY, place.key());
  }

  static ObjectUpdate readUpdate(WireReader in) {
    BoundObject object = null;
    WireOperation operation = null;
    while (in.hasNext()) {
      switch (in.next()) {
        case OBJECT -> object = in.message(ObjectCodec::readObject);
        case OPERATION -> operation = in.message(OperationCodec::read);
        default -> in.skip();
      }
    }
    return new ObjectUpdate(
        required(object, "the object of an update"),
        required(operation, "the operation of an update"));
  }

  static void writeUpdate(WireWriter out, ObjectUpdate update) {
    out.message(OPERATION, () -> OperationCodec.write(out, update.operation()));
    out.message(OBJECT, () -> writeObject(out, update.object()));
  }

  private static WireType readType(WireReader in) {
    long number = in.varint();
    return WireType.of(number)
        .orElseThrow(
            () ->
                new ProtocolException(
                    "this server knows no data type number "
                        + Long.toUnsignedString(number)
                        + ": see CRDT_type in the protocol"));
  }
}
