using System.Diagnostics;

namespace Sc2Bridge.Processes;

/// <summary>The purpose of a started program.</summary>
public enum ChildKind
{
    /// <summary>StarCraft II, or the simulated game.</summary>
    Game,

    /// <summary>An agent, or another program in Python.</summary>
    Agent,

    /// <summary>A match that a worker runs with the command <c>sc2bridge match</c>.</summary>
    Match,
}

/// <summary>
/// Selects the environment variables that a started program gets: the variables that its kind needs, and the variables that
/// the user names. Other variables may be secrets, and an agent may be a program of a stranger. Nearly all of the bridge's own
/// variables (<c>SC2BRIDGE_…</c>) are passed on only if the user names them.
/// </summary>
public static class ChildEnvironment
{
    private static readonly StringComparison _case =
        OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;

    private static readonly string[] _names =
    [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "TERM",
        "LD_LIBRARY_PATH", "LD_PRELOAD", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",

        // Windows programs need these variables to start and to find their folders.
        "SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE",
        "USERNAME", "HOMEDRIVE", "HOMEPATH", "ProgramData", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432",
        "CommonProgramFiles", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS",
    ];

    private static readonly string[] _prefixes = ["LC_", "XDG_", "DYLD_", "CUDA", "NVIDIA_"];

    // Variables of Python, numerical libraries and python-sc2.
    private static readonly string[] _agentPrefixes =
    [
        "NO_COLOR", "VIRTUAL_ENV", "SSL_CERT_", "SC2PATH", "SC2PF", "PYTHON", "CONDA_", "OMP_", "KMP_", "MKL_", "MPL",
        "OPENBLAS_", "NUMEXPR_", "NUMBA_", "TORCH_", "PYTORCH_", "HIP_", "ROCR_", "HSA_",
    ];

    // Variables of .NET, for the simulated game. Variables of graphics and Wine, for StarCraft II.
    private static readonly string[] _gamePrefixes =
        ["DOTNET_", "WINE", "MESA_", "LIBGL_", "EGL_", "GALLIUM_", "__GL", "__EGL", "__NV", "VK_", "SDL_"];

    // A match starts agents and games.
    private static readonly string[] _matchPrefixes = [.. _agentPrefixes, .. _gamePrefixes, "SC2BRIDGE_PYTHON_ENVIRONMENT"];

    /// <summary>Makes the start information of a program, with the variables for its kind. The caller may set more variables.</summary>
    /// <param name="kind">The purpose of the program.</param>
    /// <param name="program">The path or name of the program.</param>
    /// <param name="arguments">The arguments of the program.</param>
    /// <param name="userVariables">The names of more variables that the program gets; null for none.</param>
    public static ProcessStartInfo CreateStartInfo(
        ChildKind kind, string program, IEnumerable<string> arguments, IReadOnlyList<string>? userVariables = null)
    {
        var start = new ProcessStartInfo(program, arguments);
        foreach (var name in start.Environment.Keys.Where(name => !IsPassedOn(kind, name, userVariables ?? [])).ToList())
        {
            start.Environment.Remove(name);
        }

        return start;
    }

    private static bool IsPassedOn(ChildKind kind, string name, IReadOnlyList<string> userVariables)
    {
        var prefixes = kind switch
        {
            ChildKind.Game => _gamePrefixes,
            ChildKind.Agent => _agentPrefixes,
            _ => _matchPrefixes,
        };
        return _names.Concat(userVariables).Any(allowed => allowed.Equals(name, _case))
            || _prefixes.Concat(prefixes).Any(prefix => name.StartsWith(prefix, _case));
    }
}
