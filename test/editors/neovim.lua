-- What a user does with a program in Neovim, with the settings of docs/editor.md. Prints what came of it as JSON.
local LIMIT = 60000
local seen = { messages = {} }

vim.lsp.handlers["window/showMessage"] = function(_, result)
  table.insert(seen.messages, result.message)
end
-- of several lenses on a line, the first
vim.ui.select = function(items, _, choose)
  choose(items[1], 1)
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function wait(what, holds)
  if not vim.wait(LIMIT, holds, 50) then
    error("there is no " .. what)
  end
end

local function request(method, params)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, LIMIT) or {}) do
    return answer.result
  end
  error("no answer to " .. method)
end

local function run()
  vim.cmd("edit main.ggsl")
  seen.filetype = vim.bo.filetype
  wait("diagnostic", function()
    return #vim.diagnostic.get(0) > 0
  end)
  local first = vim.diagnostic.get(0)[1]
  seen.diagnostic = { first.lnum, first.col, first.message }

  vim.api.nvim_win_set_cursor(0, { first.lnum + 1, first.col })
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = {}, only = { "quickfix" } }
  local action = request("textDocument/codeAction", params)[1]
  seen.fix = action.title
  vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
  wait("fixed text", function()
    return #vim.diagnostic.get(0) == 0
  end)
  seen.fixed = text()

  vim.api.nvim_buf_set_lines(0, -1, -1, false, { "chain   other=temp(  1 )" })
  if vim.lsp.buf.format then
    vim.lsp.buf.format({ timeout_ms = LIMIT })
  else
    vim.lsp.buf.formatting_sync(nil, LIMIT)
  end
  seen.formatted = text()

  vim.api.nvim_win_set_cursor(0, { 1, 9 })
  vim.lsp.buf.rename("close")
  wait("new name", function()
    return text():find("sampler close(", 1, true) ~= nil
  end)
  seen.renamed = text()

  vim.lsp.codelens.refresh()
  wait("lenses", function()
    return #vim.lsp.codelens.get(0) > 0
  end)
  seen.lenses = {}
  for _, lens in ipairs(vim.lsp.codelens.get(0)) do
    table.insert(seen.lenses, lens.command.title)
  end
  table.sort(seen.lenses)
  vim.fn.search('test "')
  vim.lsp.codelens.run()
  wait("verdict", function()
    return #seen.messages > 0
  end)
end

local ok, fault = pcall(run)
seen.fault = not ok and fault or nil
io.stdout:write(vim.json and vim.json.encode(seen) or vim.fn.json_encode(seen))
vim.cmd("qa!")
