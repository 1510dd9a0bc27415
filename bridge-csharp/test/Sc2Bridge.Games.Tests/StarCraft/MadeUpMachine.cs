namespace Sc2Bridge.Games.Tests.StarCraft;

/// <summary>A machine with the files that a test names.</summary>
internal sealed class MadeUpMachine(GamePlatform platform) : ISystemEnvironment
{
    private readonly Dictionary<string, string> _files = [];

    public Dictionary<string, string> Variables { get; } = [];

    public GamePlatform Platform => platform;

    public string Home => "/home/a";

    public string Documents => "D:/Docs";

    public MadeUpMachine Add(string path, string content = "")
    {
        _files[path] = content;
        return this;
    }

    public string? Variable(string name) => Variables.GetValueOrDefault(name);

    public bool FileExists(string path) => _files.ContainsKey(path);

    public bool FolderExists(string path) => Below(path).Any();

    /// <summary>A folder that the user may not list.</summary>
    public string? Unreadable { get; init; }

    public IEnumerable<string> Folders(string path) => path == Unreadable
        ? throw new UnauthorizedAccessException($"Access to the path '{path}' is denied.")
        : Below(path).Where(below => below.Contains('/')).Select(below => below[..below.IndexOf('/')]).Distinct();

    public IEnumerable<string> FilesBelow(string path, string extension) =>
        Below(path).Where(below => below.EndsWith(extension, StringComparison.OrdinalIgnoreCase));

    public string ReadText(string path) => _files[path];

    /// <summary>Programs with wrong permissions.</summary>
    public HashSet<string> NotExecutable { get; } = [];

    public Dictionary<string, string> Registry { get; } = [];

    public bool MayExecute(string path) => !NotExecutable.Contains(path);

    public string? RegistryValue(string key, string name) => Registry.GetValueOrDefault($@"{key}\{name}");

    private IEnumerable<string> Below(string path) => _files.Keys
        .Where(file => file.StartsWith(path + "/", StringComparison.Ordinal))
        .Select(file => file[(path.Length + 1)..]);
}
