"""Compiles the masks of hosts and checks what they match. Runs in the project's directory; needs a JDK."""
import subprocess
import tempfile
from pathlib import Path

SOURCE = "capacitor/src/main/java/com/getcapacitor/util/HostMask.java"
TEST = """
import com.getcapacitor.util.HostMask;

public class Test {
    static void check(String mask, String host, boolean expected) {
        if (HostMask.Parser.parse(mask).matches(host) != expected) {
            throw new AssertionError(mask + " " + host);
        }
    }

    public static void main(String[] arguments) {
        check("**.example.com", "example.com", true);
        check("**.example.com", "a.example.com", true);
        check("**.example.com", "a.b.Example.com", true);
        check("**.example.com", "badexample.com", false);
        check("**.example.com", "com", false);
        check("**.example.com", "example.org", false);
        check("*.example.com", "a.example.com", true);
        check("*.example.com", "a.b.example.com", false);
        check("*.example.com", "example.com", false);
        check("*", "anything.org", true);
        check("example.com", "example.com", true);
    }
}
"""

with tempfile.TemporaryDirectory() as directory:
    test = Path(directory, "Test.java")
    test.write_text(TEST)
    subprocess.run(["javac", "-d", directory, SOURCE, str(test)], check=True)
    subprocess.run(["java", "-cp", directory, "Test"], check=True)
