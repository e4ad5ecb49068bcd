package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.SessionId;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.cluster.internal.secret.SigningKey;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.SessionExpiredException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.recovery.StoreDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server accepts the session ids that it, or a node of its cluster, has issued. */
final class SessionIdsTest {
  private static final String CLIENT = "127.0.0.1";

  @TempDir private Path directory;

  private static SessionId fresh() {
    return SessionId.create(Instant.now());
  }

  private static void assertRefused(SessionIds ids, SessionId id) {
    assertThatThrownBy(() -> ids.check(id, 0))
        .isInstanceOf(SessionExpiredException.class)
        .hasMessageContaining("was not issued by this server");
  }

  @Test
  void aChangedIdIsRefused() {
    SessionIds ids = new SessionIds(SigningKey.random());
    SessionId id = ids.issue(fresh(), CLIENT, 0);
    Bytes signature = id.signature();

    ids.check(SessionId.parse(id.toString()), 0);

    assertRefused(
        ids, new SessionId(id.openedMillis() + 1, id.high(), id.low(), id.client(), signature));
    assertRefused(
        ids, new SessionId(id.openedMillis(), id.high() ^ 1, id.low(), id.client(), signature));
    assertRefused(
        ids, new SessionId(id.openedMillis(), id.high(), id.low() ^ 1, id.client(), signature));
    assertRefused(
        ids, new SessionId(id.openedMillis(), id.high(), id.low(), id.client() ^ 1, signature));
    for (int i = 0; i < SessionId.SIGNATURE_BYTES; i++) {
      byte[] changed = signature.toArray();
      changed[i] ^= 1;
      assertRefused(ids, id.issued(id.client(), Bytes.wrap(changed)));
    }
    assertRefused(ids, id.issued(id.client(), Bytes.EMPTY));
    assertRefused(ids, fresh());
    assertThatThrownBy(() -> ids.check(id, 1)).isInstanceOf(SessionExpiredException.class);
  }

  @Test
  void nodesWithACommonSecretAcceptEachOthersIdsOnly() {
    Path shared = directory.resolve("shared");
    SessionIds one = new SessionIds(SigningKey.of(ClusterSecret.of(shared)));
    SessionIds other = new SessionIds(SigningKey.of(ClusterSecret.of(shared)));
    SessionIds foreign =
        new SessionIds(SigningKey.of(ClusterSecret.of(directory.resolve("foreign"))));

    SessionId id = one.issue(fresh(), CLIENT, 0);

    assertThatCode(() -> other.check(id, 0)).doesNotThrowAnyException();
    assertThat(other.issue(fresh(), CLIENT, 0).client()).isEqualTo(id.client());
    assertRefused(foreign, id);
  }

  @Test
  void aServerStoresItsKeyReadableByItsOwnerOnly() throws IOException {
    Path file = directory.resolve(StoreDirectory.SESSIONS);
    SessionIds before = new SessionIds(SigningKey.in(directory));
    SessionId id = before.issue(fresh(), CLIENT, 0);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

    SigningKey key = SigningKey.in(directory);

    new SessionIds(key).check(id, 0);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(key.toString()).isEqualTo("SigningKey");
  }

  @Test
  void aDamagedKeyIsReplacedAndAKeyThatCannotBeStoredIsAnError() throws IOException {
    Path file = directory.resolve(StoreDirectory.SESSIONS);
    SessionId id = new SessionIds(SigningKey.in(directory)).issue(fresh(), CLIENT, 0);
    Files.writeString(file, "0".repeat(63) + "\n");

    SessionIds again = new SessionIds(SigningKey.in(directory));

    assertRefused(again, id);
    new SessionIds(SigningKey.in(directory)).check(again.issue(fresh(), CLIENT, 0), 0);
    assertThatThrownBy(() -> SigningKey.in(directory.resolve("missing")))
        .isInstanceOf(StoreIoException.class)
        .hasMessageContaining("missing");
  }

  @Test
  void clientsAreDistinguishedByTheirAddresses() {
    SessionIds ids = new SessionIds(SigningKey.random());

    assertThat(client(ids, "192.0.2.1")).isEqualTo(client(ids, "192.0.2.1"));
    assertThat(client(ids, "192.0.2.1")).isNotEqualTo(client(ids, "192.0.2.2"));
  }

  private static int client(SessionIds ids, String address) {
    return ids.issue(fresh(), address, 0).client();
  }
}
