using System.Diagnostics;

namespace Sc2Bridge.Processes;

/// <summary>What a program is started for.</summary>
public enum ChildKind
{
    /// <summary>A game, or the simulated one.</summary>
    Game,

    /// <summary>An agent, or another program in Python.</summary>
    Agent,

    /// <summary>A match of a worker, as <c>sc2bridge match</c>.</summary>
    Match,
}

/// <summary>
/// Selects the variables of this process's environment that a program gets: variables that its kind needs, and variables that
/// the user names. The rest may be secrets, and an agent may be a stranger's program. Nearly all of the bridge's own variables
/// (<c>SC2BRIDGE_…</c>) pass only if the user names them.
/// </summary>
public static class ChildEnvironment
{
    private static readonly StringComparison _case =
        OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;

    private static readonly string[] _names =
    [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "TERM",
        "LD_LIBRARY_PATH", "LD_PRELOAD", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",

        // Without them Windows' programs do not start, or do not find their folders.
        "SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE",
        "USERNAME", "HOMEDRIVE", "HOMEPATH", "ProgramData", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432",
        "CommonProgramFiles", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS",
    ];

    private static readonly string[] _beginnings = ["LC_", "XDG_", "DYLD_", "CUDA", "NVIDIA_"];

    // Python, numerical libraries and python-sc2.
    private static readonly string[] _agentBeginnings =
    [
        "NO_COLOR", "VIRTUAL_ENV", "SSL_CERT_", "SC2PATH", "SC2PF", "PYTHON", "CONDA_", "OMP_", "KMP_", "MKL_", "MPL",
        "OPENBLAS_", "NUMEXPR_", "NUMBA_", "TORCH_", "PYTORCH_", "HIP_", "ROCR_", "HSA_",
    ];

    // .NET for the simulated game; graphics and Wine for the real one.
    private static readonly string[] _gameBeginnings =
        ["DOTNET_", "WINE", "MESA_", "LIBGL_", "EGL_", "GALLIUM_", "__GL", "__EGL", "__NV", "VK_", "SDL_"];

    // It starts the others.
    private static readonly string[] _matchBeginnings = [.. _agentBeginnings, .. _gameBeginnings, "SC2BRIDGE_PYTHON_ENVIRONMENT"];

    /// <summary>A program with the variables for its kind. The caller may set others.</summary>
    /// <param name="kind">What it is started for.</param>
    /// <param name="program">The program.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="named">Variables that the user passes on in addition.</param>
    public static ProcessStartInfo Start(
        ChildKind kind, string program, IEnumerable<string> arguments, IReadOnlyList<string>? named = null)
    {
        var start = new ProcessStartInfo(program, arguments);
        foreach (var name in start.Environment.Keys.Where(name => !Passes(kind, name, named ?? [])).ToList())
        {
            start.Environment.Remove(name);
        }

        return start;
    }

    private static bool Passes(ChildKind kind, string name, IReadOnlyList<string> named)
    {
        var beginnings = kind switch
        {
            ChildKind.Game => _gameBeginnings,
            ChildKind.Agent => _agentBeginnings,
            _ => _matchBeginnings,
        };
        return _names.Concat(named).Any(other => other.Equals(name, _case))
            || _beginnings.Concat(beginnings).Any(start => name.StartsWith(start, _case));
    }
}
