package io.github.stablecut.cluster.internal.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.SessionId;
import io.github.stablecut.cluster.internal.secret.SigningKey;
import io.github.stablecut.cluster.internal.service.handle.Origin;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.SessionExpiredException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * Issues and verifies the ids of clients' sessions, without storing them: an id is signed with a
 * key that a cluster's nodes share and that survives restarts. It identifies the client, so that
 * partitions can count the sessions of each. Thread-safe.
 */
public final class SessionIds {
  /** Size of the signed content: a kind, the id, and the data centre. */
  private static final int SIGNED_BYTES = 1 + 3 * Long.BYTES + 2 * Integer.BYTES;

  private static final byte OF_SESSION = 1;
  private static final byte OF_CLIENT = 2;

  private final SigningKey key;

  /** Creates an issuer that signs with a key. */
  public SessionIds(SigningKey key) {
    this.key = key;
  }

  /**
   * Signs a new id.
   *
   * @param address the client's address ({@link Origin#address})
   * @param dataCentre the only data centre that accepts it: others don't know which requests the
   *     session has executed there
   */
  SessionId issue(SessionId opened, String address, int dataCentre) {
    SessionId named = opened.issued(client(address), opened.signature());
    return named.issued(named.client(), Bytes.wrap(signature(named, dataCentre)));
  }

  /**
   * Checks that an id was issued by a server with this key, in this data centre.
   *
   * @throws SessionExpiredException if it was not
   */
  void check(SessionId id, int dataCentre) {
    if (!MessageDigest.isEqual(signature(id, dataCentre), id.signature().toArray())) {
      throw new SessionExpiredException(
          "session %s was not issued by this server or another node of its cluster and data centre: open one with openSession, store its complete id, and read to find out whether its last request was executed"
              .formatted(id));
    }
  }

  private byte[] signature(SessionId id, int dataCentre) {
    ByteBuffer signed = ByteBuffer.allocate(SIGNED_BYTES).put(OF_SESSION);
    signed.putLong(id.openedMillis()).putLong(id.high()).putLong(id.low());
    signed.putInt(id.client()).putInt(dataCentre);
    return Arrays.copyOf(key.sign(signed.flip()), SessionId.SIGNATURE_BYTES);
  }

  /** Returns a non-zero number for an address. */
  private int client(String address) {
    byte[] text = address.getBytes(UTF_8);
    ByteBuffer message = ByteBuffer.allocate(1 + text.length).put(OF_CLIENT).put(text);
    int number = ByteBuffer.wrap(key.sign(message.flip())).getInt();
    return number == 0 ? 1 : number;
  }
}
