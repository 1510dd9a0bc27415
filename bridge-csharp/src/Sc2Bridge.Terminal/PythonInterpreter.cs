namespace Sc2Bridge.Terminal;

/// <summary>Finds the Python interpreter.</summary>
public static class PythonInterpreter
{
    /// <summary>
    /// The value of <c>PYTHONPATH</c> for agents: the current folder, which usually contains their modules, and then this process's value.
    /// </summary>
    public static string PythonPathFromHere => PythonPathWith(Directory.GetCurrentDirectory());

    /// <summary>The value of <c>PYTHONPATH</c> for a program: some folders, and then this process's value.</summary>
    public static string PythonPathWith(params IEnumerable<string> folders) => string.Join(
        Path.PathSeparator,
        folders.Append(Environment.GetEnvironmentVariable("PYTHONPATH")).Where(part => !string.IsNullOrEmpty(part)));

    /// <summary>Finds the interpreter that the user names, or else an installed interpreter.</summary>
    /// <param name="named">
    /// The interpreter that the user names. If null, the first interpreter that is found in this order: in the environment that the launcher
    /// names; in the environment that contains this program; in the environment that <c>sc2bridge.cmd</c> made in this clone; next to this
    /// program, where conda installs it; on the path.
    /// </param>
    public static string Find(string? named)
    {
        if (named is null)
        {
            var made = OperatingSystem.IsWindows() ? EnvironmentOfClone(RepositoryFolder.Root) : null;
            return PathIn(Environment.GetEnvironmentVariable("SC2BRIDGE_PYTHON_ENVIRONMENT") ?? EnvironmentOf(Environment.ProcessPath) ?? made);
        }

        // A path becomes absolute, because the process may start in another folder. A name without a folder is searched on the path.
        return Path.GetFileName(named) == named && !File.Exists(named) ? named : Path.GetFullPath(named);
    }

    /// <summary>The interpreter that <c>--python</c> names; null if the option is not given.</summary>
    /// <exception cref="CommandException">The file does not exist.</exception>
    public static string? FindNamed(string? path)
    {
        var found = path is null ? null : Find(path);
        return Path.IsPathRooted(found) && !File.Exists(found)
            ? throw new CommandException($"--python {path}: the file does not exist: name a Python interpreter") : found;
    }

    /// <summary>The virtual environment that contains a program in <c>bin</c> or <c>Scripts</c>; null if the program is not in an environment.</summary>
    internal static string? EnvironmentOf(string? program) =>
        Path.GetDirectoryName(Path.GetDirectoryName(program)) is { } environment
            // Virtual environments have this file: https://docs.python.org/3/library/venv.html
            && File.Exists(Path.Combine(environment, "pyvenv.cfg"))
            ? environment
            : null;

    /// <summary>
    /// The virtual environment that <c>sc2bridge.cmd</c> made in a clone; null if it does not exist. The launcher cannot name this environment in a
    /// variable, because cmd drops the variables of a batch job before the program starts.
    /// </summary>
    internal static string? EnvironmentOfClone(string? root) =>
        root is not null && File.Exists(Path.Combine(root, ".venv", "Scripts", "python.exe")) ? Path.Combine(root, ".venv") : null;

    /// <summary>The interpreter in the folder of an installed program (pip, conda), or on Windows also in the parent folder. Null if not found.</summary>
    internal static string? FindNextTo(string? program, bool windows) => Path.GetDirectoryName(program) is { } folder
        ? ((string[])(windows ? ["python.exe", "../python.exe"] : ["python3"]))
            .Select(name => Path.GetFullPath(Path.Combine(folder, name))).FirstOrDefault(File.Exists)
        : null;

    private static string PathIn(string? environment) => (environment, OperatingSystem.IsWindows()) switch
    {
        (null, var windows) => FindNextTo(Environment.ProcessPath, windows) ?? (windows ? "python" : "python3"),
        (_, true) => Path.Combine(environment, "Scripts", "python.exe"),
        (_, false) => Path.Combine(environment, "bin", "python"),
    };
}
