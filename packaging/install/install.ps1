# Installs sscg {{ product.version }} for the current user. Downloads one archive, compares its checksum with the one below, and
# copies the program, without administrator rights.
#
#   SSCG_INSTALL_DIR    directory of the program (default: %LOCALAPPDATA%\Programs\sscg)
#   SSCG_DOWNLOAD_URL   directory of the archives, for mirrors
$ErrorActionPreference = "Stop"
$ProgressPreference = "SilentlyContinue"

function Install-Sscg {
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
        Copy-Item -Force (Join-Path $temporary "$stem\sscg.exe") $directory
    } finally {
        Remove-Item -Recurse -Force $temporary
    }

    Write-Output "installed $(& (Join-Path $directory 'sscg.exe') --version) in $directory"
    $path = [Environment]::GetEnvironmentVariable("Path", "User")
    if (($path -split ";") -notcontains $directory) {
        [Environment]::SetEnvironmentVariable("Path", "$path;$directory", "User")
        Write-Output "added it to your Path; open a new terminal"
    }
}

Install-Sscg
