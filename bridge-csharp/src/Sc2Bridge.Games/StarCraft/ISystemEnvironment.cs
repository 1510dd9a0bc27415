using System.Runtime.InteropServices;

namespace Sc2Bridge.Games;

/// <summary>The systems that StarCraft II runs on.</summary>
public enum GamePlatform
{
    /// <summary>Linux: Blizzard's headless packages.</summary>
    Linux,

    /// <summary>Windows.</summary>
    Windows,

    /// <summary>macOS.</summary>
    MacOS,
}

/// <summary>The functions of the machine that are needed to find the game. Paths may contain slashes or backslashes.</summary>
internal interface ISystemEnvironment
{
    /// <summary>The system.</summary>
    GamePlatform Platform { get; }

    /// <summary>The user's home folder.</summary>
    string Home { get; }

    /// <summary>The user's documents folder. On Windows it may be outside of <see cref="Home"/>.</summary>
    string Documents { get; }

    /// <summary>An environment variable; null if it is not set.</summary>
    string? Variable(string name);

    /// <summary>Whether a file exists.</summary>
    bool FileExists(string path);

    /// <summary>Whether a folder exists.</summary>
    bool FolderExists(string path);

    /// <summary>The names (not paths) of a folder's subfolders.</summary>
    IEnumerable<string> Folders(string path);

    /// <summary>The files below <paramref name="path"/> with an extension. The paths are relative to <paramref name="path"/>, with '/' between names.</summary>
    IEnumerable<string> FilesBelow(string path, string extension);

    /// <summary>A text file's content.</summary>
    string ReadText(string path);

    /// <summary>Whether the system lets this user execute a program. Always true on Windows.</summary>
    bool MayExecute(string path);

    /// <summary>A text in Windows' registry; null on other systems, and if the text does not exist.</summary>
    string? RegistryValue(string key, string name);
}

/// <summary>The machine that this program runs on.</summary>
internal sealed class SystemEnvironment : ISystemEnvironment
{
    /// <inheritdoc/>
    public GamePlatform Platform => RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? GamePlatform.Windows
        : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? GamePlatform.MacOS
        : GamePlatform.Linux;

    /// <inheritdoc/>
    public string Home => Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);

    /// <inheritdoc/>
    public string Documents => Environment.GetFolderPath(Environment.SpecialFolder.MyDocuments);

    /// <inheritdoc/>
    public string? Variable(string name) => Environment.GetEnvironmentVariable(name);

    /// <inheritdoc/>
    public bool FileExists(string path) => File.Exists(path);

    /// <inheritdoc/>
    public bool FolderExists(string path) => Directory.Exists(path);

    /// <inheritdoc/>
    public IEnumerable<string> Folders(string path) =>
        Directory.EnumerateDirectories(path).Select(p => Path.GetFileName(p));

    /// <inheritdoc/>
    public IEnumerable<string> FilesBelow(string path, string extension) => Directory
        .EnumerateFiles(path, "*" + extension, new EnumerationOptions
        {
            RecurseSubdirectories = true,
            MatchCasing = MatchCasing.CaseInsensitive,
        })
        .Select(file => Path.GetRelativePath(path, file).Replace('\\', '/'));

    /// <inheritdoc/>
    public string ReadText(string path) => File.ReadAllText(path);

    /// <inheritdoc/>
    public bool MayExecute(string path)
    {
        const UnixFileMode Executables =
            UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;
        return OperatingSystem.IsWindows() || (File.GetUnixFileMode(path) & Executables) != 0;
    }

    /// <inheritdoc/>
    public string? RegistryValue(string key, string name) =>
        OperatingSystem.IsWindows() ? Microsoft.Win32.Registry.GetValue(key, name, null) as string : null;
}
