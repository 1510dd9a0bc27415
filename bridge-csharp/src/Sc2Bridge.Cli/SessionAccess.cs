using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Server;

namespace Sc2Bridge.Cli;

/// <summary>
/// The tokens of a session: the user's tokens and generated tokens. Decides which tokens the started agents get, and which
/// tokens are printed.
/// </summary>
internal sealed class SessionAccess
{
    private readonly SessionOptions _options;
    private readonly List<(uint? Side, string Token)> _generated = [];
    private readonly string? _pageToken;

    /// <param name="options">The options of the session.</param>
    /// <exception cref="AddressException">An address is invalid.</exception>
    internal SessionAccess(SessionOptions options)
    {
        _options = options;
        Tokens = options.Access.Tokens;
        IsLocal = NonLocalOf(options.GrpcAddress, options.WebAddress).Count == 0;
        foreach (var side in options.Access.SidesApart)
        {
            AddToken(side, new Identity(DescribeSide(side), Roles.Watch | Roles.Hold | Roles.Play, side));
        }

        // If the user gives tokens, other clients use them. The started agents still need a generated token.
        var isNeeded = !IsLocal && !options.Access.IsInsecure && (Tokens.IsEmpty || options.Agents.Count > 0);
        if (_generated.Count == 0 && isNeeded)
        {
            AddToken(null, new Identity(DescribeSide(null), Roles.All));
        }

        // A page that needs a token gets a generated token for all sides, because the user may see them. If the user gave tokens, it gets none.
        var pageIsLocal = BridgeAddress.Parse(options.WebAddress).IsLocal || options.Access.IsInsecure;
        if (options.Server.ServesPage && options.Access.Tokens.IsEmpty && (options.Access.SidesApart.Count > 0 || !pageIsLocal))
        {
            _pageToken = TokenStore.NewToken();
            Tokens = Tokens.With(_pageToken, new Identity("the page", Roles.Watch | Roles.Control));
        }
    }

    /// <summary>The live page's address, with a token if it needs one; null without a page.</summary>
    /// <param name="web">The address that the WebSocket server listens on.</param>
    /// <param name="isSameMachine">Whether the browser runs on this machine.</param>
    internal string? PageAddress(string web, bool isSameMachine) =>
        !_options.Server.ServesPage || ServerUrl.Page(web, _options.Access.Tls, isSameMachine) is not { } address ? null
        : _pageToken is null ? address
        : $"{address}#token={_pageToken}";

    /// <summary>All tokens.</summary>
    internal TokenStore Tokens { get; private set; }

    /// <summary>Whether only programs of this machine can connect.</summary>
    internal bool IsLocal { get; }

    /// <summary>The credentials of a started agent.</summary>
    internal AgentCredentials CredentialsOf(AgentSpec agent)
    {
        var side = agent.Side ?? _options.FirstSide;
        var token = _generated.Find(one => one.Side is null || one.Side == side).Token;
        return new AgentCredentials(token, _options.Access.Tls?.Fingerprint);
    }

    /// <summary>The lines that a user needs to connect more clients.</summary>
    /// <param name="grpc">The address that the gRPC server listens on.</param>
    /// <param name="web">The address that the WebSocket server listens on.</param>
    internal IEnumerable<string> ConnectionHints(string grpc, string web)
    {
        var access = _options.Access;
        if (!IsLocal && access.IsInsecure)
        {
            yield return $"--insecure: any client that reaches {string.Join(" or ", NonLocalOf(grpc, web))} may watch this match, pause "
                + "it, play and control it";
        }

        if (!IsLocal && access.Tls is null)
        {
            yield return "Outside this machine, others can read all data on the network, also tokens: --tls-self-signed "
                + "or --tls-cert encrypts it";
        }

        if (access.Tls is { } tls)
        {
            yield return $"TLS: the certificate's fingerprint is {tls.Fingerprint} (SC2BRIDGE_FINGERPRINT, for your own "
                + "agents)";
        }

        var (toGrpc, toWeb) = (ServerUrl.Grpc(grpc, access.Tls, isSameMachine: false), ServerUrl.Web(web, access.Tls, isSameMachine: false));
        foreach (var (side, token) in PrintedTokens)
        {
            yield return $"For {DescribeSide(side)}: SC2BRIDGE_TOKEN={token} with {toGrpc}, or {toWeb}?token={token}";
        }
    }

    /// <summary>All tokens as texts, which are removed from texts that other people will read.</summary>
    internal IEnumerable<string> TokenTexts =>
        _generated.Select(one => one.Token).Append(_pageToken).OfType<string>().Concat(_options.Access.TokenTexts);

    /// <summary>The generated tokens that the user needs, and that are printed.</summary>
    internal IEnumerable<SideToken> PrintedTokens => _generated.Where(one => IsPrinted(one.Side)).Select(one => new SideToken(one.Side, one.Token));

    // If the session starts the agents of a side, the user needs no token for that side.
    private bool IsPrinted(uint? side) => _options.Access.Tokens.IsEmpty
        && (_options.WaitFor > 0 || !IsLocal
            || !_options.Agents.Any(agent => side is null || (agent.Side ?? _options.FirstSide) == side));

    private void AddToken(uint? side, Identity identity)
    {
        var token = TokenStore.NewToken();
        _generated.Add((side, token));
        Tokens = Tokens.With(token, identity);
    }

    private static string DescribeSide(uint? side) => side is null ? "this bridge" : $"player {side}'s side";

    private static List<string> NonLocalOf(params string[] addresses) =>
        [.. addresses.Where(address => !BridgeAddress.Parse(address).IsLocal)];
}
