# Installs sscg {{ product.version }} for the current user. Downloads one archive, compares its checksum with the one below, and
# copies the program, without administrator rights.
#
#   SSCG_INSTALL_DIR    directory of the program (default: %LOCALAPPDATA%\Programs\sscg)
#   SSCG_DOWNLOAD_URL   directory of the archives, for mirrors
function Install-Sscg {
    $ErrorActionPreference = "Stop"
    $ProgressPreference = "SilentlyContinue"
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
{% for target in targets if target.node_os == "win32" %}
    $stem = "{{ target.stem }}"
    $checksum = "{{ target.sha256 }}"
{% endfor %}
    $url = if ($env:SSCG_DOWNLOAD_URL) { $env:SSCG_DOWNLOAD_URL } else { "{{ product.downloads }}" }
    $directory = if ($env:SSCG_INSTALL_DIR) { $env:SSCG_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA "Programs\sscg" }

    $temporary = Join-Path ([System.IO.Path]::GetTempPath()) ([System.Guid]::NewGuid())
    New-Item -ItemType Directory -Path $temporary | Out-Null
    try {
        $archive = Join-Path $temporary "$stem.zip"
        Invoke-WebRequest -UseBasicParsing -Uri "$url/$stem.zip" -OutFile $archive
        if ((Get-FileHash -Algorithm SHA256 $archive).Hash -ne $checksum) {
            throw "$url/$stem.zip has another checksum than expected; nothing was installed"
        }
        Expand-Archive -Path $archive -DestinationPath $temporary
        New-Item -ItemType Directory -Force -Path $directory | Out-Null
        # A program that is running can be renamed, but not replaced.
        $program = Join-Path $directory "sscg.exe"
        Remove-Item -Force -ErrorAction SilentlyContinue "$program.old"
        if (Test-Path $program) { Move-Item -Force $program "$program.old" }
        Copy-Item (Join-Path $temporary "$stem\sscg.exe") $program
    } finally {
        Remove-Item -Recurse -Force $temporary
    }

    $version = & $program --version
    if ($LASTEXITCODE -ne 0) { throw "$program does not run on this machine" }
    Write-Output "installed $version in $directory"
    if (($env:Path -split ";") -notcontains $directory) {
        Write-Output "hint: add $directory to your Path"
    }
}

Install-Sscg
