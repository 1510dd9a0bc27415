namespace Sc2Bridge.Cli;

/// <summary>
/// Selects the variables of the bridge's environment that its agents get: variables that Python, numerical libraries and
/// python-sc2 need, and variables that the user names. The rest may be secrets, and an agent may be a stranger's program.
/// The bridge's own variables (<c>SC2BRIDGE_…</c>) pass only if the user names them.
/// </summary>
internal static class AgentEnvironment
{
    private static readonly StringComparison _case =
        OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;

    private static readonly string[] _names =
    [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "TERM",
        "NO_COLOR", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "LD_PRELOAD", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
        "SSL_CERT_FILE", "SSL_CERT_DIR", "SC2PATH", "SC2PF",

        // Without them Windows' programs do not start, or do not find their folders.
        "SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE",
        "USERNAME", "HOMEDRIVE", "HOMEPATH", "ProgramData", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432",
        "CommonProgramFiles", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS",
    ];

    private static readonly string[] _beginnings =
    [
        "LC_", "PYTHON", "CONDA_", "XDG_", "DYLD_", "OMP_", "KMP_", "MKL_", "OPENBLAS_", "NUMEXPR_",
        "NUMBA_", "CUDA", "NVIDIA_", "TORCH_", "PYTORCH_", "HIP_", "ROCR_", "HSA_",
    ];

    /// <summary>Takes away what is not theirs.</summary>
    /// <param name="environment">A process's to be.</param>
    /// <param name="named">What the person passes on beside the usual.</param>
    internal static void Limit(IDictionary<string, string?> environment, IReadOnlyList<string> named)
    {
        foreach (var name in environment.Keys.Where(name => !Passes(name, named)).ToList())
        {
            environment.Remove(name);
        }
    }

    private static bool Passes(string name, IReadOnlyList<string> named)
    {
        return _names.Any(Is) || named.Any(Is) || _beginnings.Any(start => name.StartsWith(start, _case));

        bool Is(string other) => other.Equals(name, _case);
    }
}
