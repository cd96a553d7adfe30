class SscgCli < Formula
  desc "{{ product.description }}"
  homepage "{{ product.repository }}"
  version "{{ product.version }}"
  license any_of: {{ product.license|split(" OR ")|list|tojson }}

{% for target in targets if target.uname %}
  {{ "if" if loop.first else "elsif" }} OS.{{ "mac" if target.node_os == "darwin" else "linux" }}? && Hardware::CPU.{{ "arm" if target.node_cpu == "arm64" else "intel" }}?
    url "{{ product.downloads }}/{{ target.archive }}"
    sha256 "{{ target.sha256 }}"
{% endfor %}
  end

  def install
    bin.install "sscg"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/sscg.bash" => "sscg"
    zsh_completion.install "completions/_sscg"
    fish_completion.install "completions/sscg.fish"
  end

  test do
    (testpath/"retry.py").write "def reconnect_after_delay():\n    pass\n"
    assert_match "reconnect_after_delay", shell_output("#{bin}/sscg search 'reconnect after delay' #{testpath}")
  end
end
