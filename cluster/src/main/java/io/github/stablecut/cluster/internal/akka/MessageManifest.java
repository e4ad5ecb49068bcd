package io.github.stablecut.cluster.internal.akka;

import io.github.stablecut.cluster.internal.wire.NodeMessage;

/**
 * The manifests of messages: each names a kind of message and the version of its format. Part of
 * the wire format. Stateless.
 */
final class MessageManifest implements NodeMessage.Receiver<String> {
  static final String HELLO = "H1";
  static final String WELCOME = "W3";
  static final String WAITING = "G2";
  static final String REFUSED = "F2";
  static final String HEARTBEAT = "N2";
  static final String REGISTRATION = "E1";

  @Override
  public String hello(NodeMessage.Hello message) {
    return HELLO;
  }

  @Override
  public String welcome(NodeMessage.Welcome message) {
    return WELCOME;
  }

  @Override
  public String waiting(NodeMessage.Waiting message) {
    return WAITING;
  }

  @Override
  public String refused(NodeMessage.Refused message) {
    return REFUSED;
  }

  @Override
  public String heartbeat(NodeMessage.Heartbeat message) {
    return HEARTBEAT;
  }

  @Override
  public String registration(NodeMessage.Registration message) {
    return REGISTRATION;
  }
}
