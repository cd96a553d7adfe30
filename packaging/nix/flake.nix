{
  description = "{{ product.description }}";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs = { self, nixpkgs }:
    let
      # The program of a release. Those for Linux are linked statically and need no patching.
      archives = {
{% for target in targets if target.nix %}
        {{ target.nix }} = {
          url = "{{ product.downloads }}/{{ target.archive }}";
          sha256 = "{{ target.sha256 }}";
        };
{% endfor %}
      };
    in
    {
      packages = builtins.mapAttrs
        (system: archive:
          let pkgs = nixpkgs.legacyPackages.${system}; in
          {
            default = pkgs.stdenvNoCC.mkDerivation {
              pname = "{{ product.package }}";
              version = "{{ product.version }}";
              src = pkgs.fetchurl archive;
              nativeBuildInputs = [ pkgs.installShellFiles ];
              dontBuild = true;
              installPhase = ''
                install -Dm755 sscg $out/bin/sscg
                installManPage man/*.1
                installShellCompletion --cmd sscg --bash completions/sscg.bash --zsh completions/_sscg --fish completions/sscg.fish
              '';
              meta = {
                description = "{{ product.description }}";
                homepage = "{{ product.repository }}";
                license = with pkgs.lib.licenses; [ mit asl20 ];
                mainProgram = "sscg";
              };
            };
          })
        archives;
    };
}
