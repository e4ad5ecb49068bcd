package io.github.stablecut.cluster.internal.antidote;

/** The message numbers: the first byte after a frame's length. */
public final class MessageCode {
  static final int ERROR = 0;
  static final int OPERATION_RESPONSE = 111;
  static final int READ_OBJECTS = 116;
  static final int UPDATE_OBJECTS = 118;
  static final int START_TRANSACTION = 119;
  static final int ABORT_TRANSACTION = 120;
  static final int COMMIT_TRANSACTION = 121;
  static final int STATIC_UPDATE_OBJECTS = 122;
  static final int STATIC_READ_OBJECTS = 123;
  static final int START_TRANSACTION_RESPONSE = 124;
  static final int READ_OBJECTS_RESPONSE = 126;
  static final int COMMIT_RESPONSE = 127;
  static final int STATIC_READ_OBJECTS_RESPONSE = 128;
  static final int CREATE_DC = 129;
  static final int CREATE_DC_RESPONSE = 130;
  static final int CONNECT_TO_DCS = 131;
  static final int CONNECT_TO_DCS_RESPONSE = 132;
  static final int GET_CONNECTION_DESCRIPTOR = 133;
  static final int GET_CONNECTION_DESCRIPTOR_RESPONSE = 134;
  static final int VALIDATE_OR_READ_OBJECTS = 135;
  static final int VALIDATE_OR_READ_OBJECTS_RESPONSE = 136;

  /** The bytes of a frame before its code: the length. */
  public static final int LENGTH_BYTES = 4;

  private MessageCode() {}
}
