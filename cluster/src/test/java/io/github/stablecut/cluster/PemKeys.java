package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;

/** Makes keys with certificates, using the JDK's keytool. */
public final class PemKeys {
  /** The password of the key stores. */
  public static final String PASSWORD = "password";

  private PemKeys() {}

  /**
   * Makes a key, also as the PEM files NAME.crt and NAME.key.
   *
   * @param algorithm {@code EC} or {@code RSA}
   */
  @CanIgnoreReturnValue
  public static KeyStore make(Path directory, String name, String algorithm) throws Exception {
    Path file = directory.resolve(name + ".p12");
    Process tool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "key",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + name,
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                PASSWORD)
            .inheritIO()
            .start();
    assertThat(tool.waitFor()).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    writePem(
        directory.resolve(name + ".crt"), "CERTIFICATE", store.getCertificate("key").getEncoded());
    writePem(
        directory.resolve(name + ".key"),
        "PRIVATE KEY",
        store.getKey("key", PASSWORD.toCharArray()).getEncoded());
    return store;
  }

  private static void writePem(Path file, String kind, byte[] bytes) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    Files.writeString(
        file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n", US_ASCII);
  }
}
