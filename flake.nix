# For machines with Nix: `nix run . -- demo`. For NixOS: the module below, with `services.wattkeeper` (docs/DEPLOYING.md, "NixOS").
{
  description = "Keeps a household's energy readings: one binary, no database server, every acknowledged reading safe";

  # It must have the Rust that Cargo.toml asks for.
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      manifest = builtins.fromTOML (builtins.readFile ./Cargo.toml);
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "armv7l-linux"
      ];
      forAll = nixpkgs.lib.genAttrs systems;

      package =
        pkgs:
        pkgs.rustPlatform.buildRustPackage {
          pname = manifest.package.name;
          version = manifest.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          buildType = "dist";
          # Those that need a browser, a broker or the network are none of a build: scripts/test runs them.
          cargoTestFlags = [ "--lib" ];
          checkType = "debug";
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            mkdir man
            $out/bin/wattkeeper man man
            installManPage man/*.1
            for shell in bash zsh fish; do
              $out/bin/wattkeeper completions $shell >wattkeeper.$shell
            done
            installShellCompletion wattkeeper.{bash,zsh,fish}
            install -Dm 644 config.example.toml -t $out/share/doc/wattkeeper
          '';
          meta = {
            description = manifest.package.description;
            license = with pkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "wattkeeper";
            platforms = systems;
          };
        };
    in
    {
      packages = forAll (system: {
        default = package nixpkgs.legacyPackages.${system};
      });

      apps = forAll (system: {
        default = {
          type = "app";
          program = "${self.packages.${system}.default}/bin/wattkeeper";
        };
      });

      nixosModules.default =
        {
          config,
          lib,
          pkgs,
          ...
        }:
        let
          service = config.services.wattkeeper;
          settings = (pkgs.formats.toml { }).generate "wattkeeper.toml" service.settings;
        in
        {
          options.services.wattkeeper = {
            enable = lib.mkEnableOption "wattkeeper, which keeps the energy readings of a household";
            package = lib.mkOption {
              type = lib.types.package;
              default = self.packages.${pkgs.stdenv.hostPlatform.system}.default;
              description = "The package of wattkeeper.";
            };
            settings = lib.mkOption {
              type = (pkgs.formats.toml { }).type;
              default = { };
              example = {
                http.hosts = [ "energy.example.org" ];
              };
              description = "What config.example.toml describes. It can be read by all users of the machine: name files for passwords.";
            };
          };

          config = lib.mkIf service.enable {
            services.wattkeeper.settings = {
              data_dir = lib.mkDefault "/var/lib/wattkeeper";
              http.listen = lib.mkDefault "0.0.0.0:8080";
            };
            environment.systemPackages = [ service.package ];
            environment.etc."wattkeeper/config.toml".source = settings;
            users.users.wattkeeper = {
              isSystemUser = true;
              group = "wattkeeper";
            };
            users.groups.wattkeeper = { };
            # The same unit as everywhere; only where the binary is differs.
            systemd.packages = [
              (pkgs.runCommand "wattkeeper-unit" { } ''
                install -Dm 644 ${./scripts/packaging/wattkeeper.service} $out/lib/systemd/system/wattkeeper.service
                substituteInPlace $out/lib/systemd/system/wattkeeper.service \
                  --replace-fail /usr/bin/wattkeeper ${service.package}/bin/wattkeeper \
                  --replace-fail /bin/kill ${pkgs.coreutils}/bin/kill
              '')
            ];
            systemd.services.wattkeeper = {
              wantedBy = [ "multi-user.target" ];
              restartTriggers = [ settings ];
            };
          };
        };
    };
}
